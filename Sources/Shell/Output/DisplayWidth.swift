extension String {
    /// How many columns of a terminal the text takes, counted by grapheme cluster.
    ///
    /// Control characters count nothing: pass what people see through `Sanitizer` first.
    package var displayWidth: Int {
        if isPrintableASCII { return utf8.count }
        return reduce(0) { $0 + $1.displayWidth }
    }

    /// The text, or as many of its clusters as fit with an ellipsis into `width` columns.
    package func cut(toWidth width: Int) -> String {
        // A byte of UTF-8 never takes more than a column, save for nothing: three bytes take two.
        if utf8.count <= width { return self }
        let isASCII = isPrintableASCII
        if !isASCII && displayWidth <= width { return self }
        guard width > 0 else { return "" }
        if isASCII { return String(decoding: utf8.prefix(width - 1), as: UTF8.self) + "…" }
        var end = startIndex
        var used = 0
        while end < endIndex {
            let more = self[end].displayWidth
            guard used + more < width else { break }
            used += more
            end = index(after: end)
        }
        return String(self[..<end]) + "…"
    }

    /// The text, or its beginning and its end with an ellipsis between that fit into `width` columns.
    ///
    /// The end gets more: ids made by time begin alike.
    package func elided(toWidth width: Int) -> String {
        if displayWidth <= width { return self }
        guard width > 3 else { return cut(toWidth: width) }
        let tail = max((width - 1) / 2, min(8, width - 2))
        var start = endIndex
        var used = 0
        while start > startIndex {
            let before = index(before: start)
            let more = self[before].displayWidth
            guard used + more <= tail else { break }
            used += more
            start = before
        }
        return String(self[..<start]).cut(toWidth: width - used) + self[start...]
    }

    /// True when every byte is a visible ASCII character or a space.
    var isPrintableASCII: Bool {
        let bytes = utf8Span.span
        for index in bytes.indices where bytes[unchecked: index] &- 0x20 >= 0x5F { return false }
        return true
    }
}

extension Character {
    /// How many columns of a terminal the cluster takes: 0, 1, 2, or more for stacked letters.
    ///
    /// An emoji sequence (joined, flagged, toned, or shown as an emoji by a variation selector) is
    /// one picture of two columns, whatever its parts add up to. Elsewhere the parts add up, as
    /// terminals without shaping of their own draw them.
    package var displayWidth: Int {
        let scalars = unicodeScalars
        let first = scalars[scalars.startIndex]
        guard scalars.index(after: scalars.startIndex) != scalars.endIndex else {
            return first.displayWidth
        }
        if first.isRegionalIndicator { return 2 }
        if first.properties.isEmoji && scalars.contains(where: \.makesEmojiSequence) { return 2 }
        return scalars.reduce(0) { $0 + $1.displayWidth }
    }
}

extension Unicode.Scalar {
    /// The columns of the scalar alone.
    fileprivate var displayWidth: Int {
        if value < 0x300 { return value < 0x20 || (0x7F..<0xA0).contains(value) ? 0 : 1 }
        if value < 0x1100 { return WidthTable.zero.holdsRange(around: value) ? 0 : 1 }
        if WidthTable.wide.holdsRange(around: value) { return 2 }
        return WidthTable.zero.holdsRange(around: value) ? 0 : 1
    }

    fileprivate var isRegionalIndicator: Bool { (0x1F1E6...0x1F1FF).contains(value) }

    /// A joiner, the emoji variation selector or a skin tone.
    fileprivate var makesEmojiSequence: Bool {
        value == 0x200D || value == 0xFE0F || (0x1F3FB...0x1F3FF).contains(value)
    }
}

extension [UInt32] {
    /// True when `value` lies in one of the ranges whose ends alternate in this ascending list.
    fileprivate func holdsRange(around value: UInt32) -> Bool {
        var low = 0
        var high = count / 2
        while low < high {
            let middle = (low + high) / 2
            if self[2 * middle + 1] < value { low = middle + 1 } else { high = middle }
        }
        return 2 * low < count && self[2 * low] <= value
    }
}
