/// The arguments of the process, in which a shell has already dealt with quotes.
package struct ArgumentWords: WordSource {
    private let words: [String]
    private var position = 0

    package init(_ words: [String]) { self.words = words }

    package mutating func next() -> Word? {
        guard position < words.count else { return nil }
        defer { position += 1 }
        return Word(words[position], at: 0..<words[position].utf8.count)
    }

    package mutating func filter(optionsEnded: Bool) -> String {
        let start = position
        while position < words.count {
            let word = words[position]
            if ClauseWord.endsFilter(word) || (!optionsEnded && word.isOption) { break }
            position += 1
        }
        return words[start..<position].joined(separator: " ")
    }
}

extension ArgumentWords {
    /// The process's arguments as texts, without the program's own name.
    ///
    /// The standard library's own list would replace bytes that are no UTF-8.
    ///
    /// - Throws: Kind `.usage`, naming the argument and the byte.
    package static func checked(
        _ arguments: UnsafePointer<UnsafeMutablePointer<CChar>?>, count: Int
    ) throws(ShellError) -> [String] {
        var words: [String] = []
        words.reserveCapacity(count)
        for index in 1..<max(count, 1) {
            guard let argument = arguments[index] else { break }
            let bytes = UnsafeRawBufferPointer(
                start: argument, count: String.byteCount(ofCString: argument))
            guard let word = String(validating: bytes, as: UTF8.self) else {
                throw .usage(
                    "argument \(index) is not UTF-8: \(InvalidUTF8.description(in: bytes))")
            }
            words.append(word)
        }
        return words
    }
}

extension String {
    fileprivate static func byteCount(ofCString text: UnsafePointer<CChar>) -> Int {
        var count = 0
        while text[count] != 0 { count += 1 }
        return count
    }
}
