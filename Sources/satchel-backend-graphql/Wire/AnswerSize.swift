/// How many values an answer may have: a value takes far more memory than its two or three bytes.
package enum AnswerSize {
    /// More than AppSync gives in its five megabytes.
    package static let mostValues = 2_000_000

    /// True for an answer with more values than are taken.
    ///
    /// It counts what begins or parts them, outside of texts; what is no JSON gives any number.
    package static func isTooMuch(_ bytes: [UInt8]) -> Bool {
        guard bytes.count > mostValues else { return false }
        return bytes.withUnsafeBufferPointer { bytes in
            var count = 0
            var isText = false
            var index = 0
            while index < bytes.count, count <= mostValues {
                switch bytes[index] {
                case UInt8(ascii: "\""): isText.toggle()
                case UInt8(ascii: "\\") where isText: index += 1
                case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ","):
                    if !isText { count += 1 }
                default: break
                }
                index += 1
            }
            return count > mostValues
        }
    }
}
