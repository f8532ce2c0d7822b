/// One word of a command, quotes and escapes taken away.
package struct Word: Sendable, Equatable {
    package var text: String
    /// Where its bytes stand in the line; for an argument of the process, its own bytes.
    package var range: Range<Int>

    package init(_ text: String, at range: Range<Int>) {
        self.text = text
        self.range = range
    }
}

/// Where the parser takes its words from: a line that is being read, or the process's arguments.
package protocol WordSource {
    /// The next word; nil at the end.
    mutating func next() throws(ShellError) -> Word?

    /// The text of a filter: everything up to a clause word, an option or the end.
    ///
    /// `optionsEnded` is true after `--`, when no word is an option any more.
    mutating func filter(optionsEnded: Bool) throws(ShellError) -> String
}

/// A word that begins a clause, where the command has clauses.
enum ClauseWord: String, CaseIterable {
    case `where`, sort, limit, offset, fields, include, set

    /// True when the word ends the filter before it.
    static func endsFilter(_ word: String) -> Bool {
        word.utf8.count <= 7 && word != "where" && ClauseWord(rawValue: word) != nil
    }
}

extension String {
    /// True for `--x` and `-x`; a lone `-` and `-1` are values.
    var isOption: Bool {
        var bytes = utf8.makeIterator()
        guard bytes.next() == UInt8(ascii: "-"), let second = bytes.next() else { return false }
        return second == UInt8(ascii: "-") || (second | 0x20).isLowerCaseLetter
    }
}

extension UInt8 {
    var isLowerCaseLetter: Bool { self >= UInt8(ascii: "a") && self <= UInt8(ascii: "z") }
    var isASCIILetter: Bool { (self | 0x20).isLowerCaseLetter }
    var isASCIIDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }
}
