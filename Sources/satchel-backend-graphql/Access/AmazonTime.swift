internal import Records

/// The forms in which headers give an instant.
package enum AmazonTime {
    /// As `20150830T123600Z`.
    package static func stamp(_ milliseconds: Int64) -> String {
        let digits = Instant.format(milliseconds: milliseconds).utf8.filter { 0x30...0x39 ~= $0 }
        let date = String(decoding: digits.prefix(8), as: UTF8.self)
        return "\(date)T\(String(decoding: digits.dropFirst(8).prefix(6), as: UTF8.self))Z"
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Milliseconds since 1970 of a `Date` header, as `Sun, 06 Nov 1994 08:49:37 GMT`.
    package static func milliseconds(ofHeader text: String) -> Int64? {
        let words = text.split(separator: " ")
        guard words.count == 6, words[5] == "GMT", words[1].utf8.count == 2,
            let month = months.firstIndex(of: String(words[2]))
        else { return nil }
        let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
        return Instant.parse("\(words[3])-\(number)-\(words[1])T\(words[4])Z", as: .dateTime)?
            .milliseconds
    }
}
