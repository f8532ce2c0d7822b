internal import Records

/// The forms in which headers give an instant.
package enum AmazonTime {
    /// As `20150830T123600Z`.
    package static func stamp(_ milliseconds: Int64) -> String {
        let digits = Instant.format(milliseconds: milliseconds).utf8.filter { 0x30...0x39 ~= $0 }
        let date = String(decoding: digits.prefix(8), as: UTF8.self)
        return "\(date)T\(String(decoding: digits.dropFirst(8).prefix(6), as: UTF8.self))Z"
    }

    /// As `Tue Mar 5 07:08:09 UTC 2019`.
    package static func words(_ milliseconds: Int64) -> String {
        // 2015-08-30T12:36:00.000Z
        let text = Instant.format(milliseconds: milliseconds)
        let parts = text.split { !("0"..."9" ~= $0) }
        guard parts.count >= 6, let month = Int(parts[1]), months.indices ~= month - 1,
            let day = Int(parts[2])
        else { return text }
        let days = Int((milliseconds - (milliseconds % 86_400_000)) / 86_400_000)
        let weekday = weekdays[((days + 4) % 7 + 7) % 7]
        return "\(weekday) \(months[month - 1]) \(day) \(parts[3]):\(parts[4]):\(parts[5]) UTC "
            + "\(parts[0])"
    }

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
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
