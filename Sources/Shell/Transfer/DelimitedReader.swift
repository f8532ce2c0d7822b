/// Reads the records of a comma- or tab-separated file, one at a time, in bounded memory.
///
/// Comma: https://www.rfc-editor.org/rfc/rfc4180 with LF or CRLF; an unquoted empty cell is null,
/// `""` the empty string. Tab: a line a record, `\t \n \r \\` for what would break it, an empty cell
/// null. A byte-order mark is skipped, and so are empty lines where there are several columns.
package final class DelimitedReader {
    package enum Dialect: Sendable { case comma, tab }

    private struct Cell {
        var start: Int
        var end: Int
        var isQuoted: Bool
        /// Holds a doubled quote, or in tab-separated files a backslash.
        var isEscaped: Bool
    }

    /// Where the current record begins, counted from 1 in lines of the file.
    package private(set) var line = 0
    private let dialect: Dialect
    private let delimiter: UInt8
    private let window: InputWindow
    private var cells: [Cell] = []
    /// Bytes of the window that belong to the current record.
    private var length = 0
    private var nextLine = 1
    private var columns: Int?

    package convenience init(_ dialect: Dialect, _ source: any ByteSource) {
        self.init(dialect, InputWindow(source))
    }

    init(_ dialect: Dialect, _ window: InputWindow) {
        self.dialect = dialect
        self.window = window
        delimiter = dialect == .comma ? UInt8(ascii: ",") : UInt8(ascii: "\t")
    }

    package var count: Int { cells.count }

    /// The cells of the first record, which names the columns; nil for an empty file.
    package func header() throws(ShellError) -> [String]? {
        _ = try window.beginning()
        guard try next() else { return nil }
        var names: [String] = []
        for index in cells.indices { names.append(try text(index) ?? "") }
        columns = names.count
        return names
    }

    /// Moves on to the next record; false at the end.
    ///
    /// After an error about one record the next call goes on behind it.
    package func next() throws(ShellError) -> Bool {
        while true {
            window.consume(length)
            length = 0
            line = nextLine
            cells.removeAll(keepingCapacity: true)
            if window.bytes.isEmpty, try !window.more() { return false }
            try scan()
            let isEmpty = cells.count == 1 && cells[0].start == cells[0].end && !cells[0].isQuoted
            guard let columns else { return true }
            if isEmpty, columns > 1 { continue }
            if cells.count != columns {
                throw fault(
                    "\(Quantity.count(cells.count, "cell")) where the header has \(columns)")
            }
            return true
        }
    }

    /// The text of a cell of the current record; nil for null.
    package func text(_ index: Int) throws(ShellError) -> String? {
        let cell = cells[index]
        if cell.start == cell.end, !cell.isQuoted { return nil }
        let bytes = window.bytes[cell.start..<cell.end]
        let text: String?
        if cell.isEscaped {
            text = String(validating: dialect.unescaped(bytes), as: UTF8.self)
        } else {
            text = String(validating: UnsafeRawBufferPointer(rebasing: bytes), as: UTF8.self)
        }
        guard let text else { throw fault("cell \(index + 1) is not UTF-8") }
        return text
    }
}

extension DelimitedReader {
    private enum State { case start, bare, quoted, closed }

    /// Finds the cells of the record at the start of the window, and its length.
    private func scan() throws(ShellError) {
        var bytes = window.bytes
        var state = State.start
        var cell = Cell(start: 0, end: 0, isQuoted: false, isEscaped: false)
        var index = 0
        while true {
            if index == bytes.count {
                if bytes.count > InputWindow.limit { throw lost("a record is larger than 16 MiB") }
                if try window.more() {
                    bytes = window.bytes
                    continue
                }
                if state == .quoted { throw lost("a quoted cell is never closed") }
                if state != .closed { cell.end = index }
                cells.append(cell)
                length = index
                nextLine += 1
                return
            }
            let byte = bytes[index]
            // Letters and digits mean nothing in any state but the two where they open a cell or
            // are a fault.
            if byte > 0x2C, byte != UInt8(ascii: "\\"), state == .bare || state == .quoted {
                index += 1
                continue
            }
            switch state {
            case .quoted:
                if byte == UInt8(ascii: "\"") {
                    cell.end = index
                    state = .closed
                } else if byte == 0x0A {
                    nextLine += 1
                }
            case .closed where byte == UInt8(ascii: "\""):
                cell.isEscaped = true
                state = .quoted
            case .start where byte == UInt8(ascii: "\"") && dialect == .comma:
                cell.start = index + 1
                cell.isQuoted = true
                state = .quoted
            default:
                if byte == delimiter {
                    if state != .closed { cell.end = index }
                    cells.append(cell)
                    cell = Cell(
                        start: index + 1, end: index + 1, isQuoted: false, isEscaped: false)
                    state = .start
                } else if byte == 0x0A {
                    if state != .closed { cell.end = index }
                    if state == .bare, bytes[index - 1] == 0x0D { cell.end -= 1 }
                    cells.append(cell)
                    length = index + 1
                    nextLine += 1
                    return
                } else if state == .closed {
                    // Only the CR of a CRLF may follow a closing quote.
                    if byte != 0x0D { throw skipping(index, "text after a closing quote") }
                } else {
                    if byte == UInt8(ascii: "\""), dialect == .comma {
                        throw skipping(index, "a quote inside a cell that does not begin with one")
                    }
                    if byte == UInt8(ascii: "\\"), dialect == .tab { cell.isEscaped = true }
                    state = .bare
                }
            }
            index += 1
        }
    }

    private func fault(_ message: String) -> ShellError {
        ShellError(.input, message, line: line)
    }

    /// An error after which nothing more can be read.
    private func lost(_ message: String) -> ShellError {
        window.abandon()
        return fault(message)
    }

    /// An error in a record whose end is taken to be the end of the line.
    private func skipping(_ index: Int, _ message: String) -> ShellError {
        var end = index
        do throws(ShellError) {
            while true {
                if let newline = window.bytes[end...].firstIndex(of: 0x0A) {
                    end = newline + 1
                    break
                }
                end = window.bytes.count
                guard end <= InputWindow.limit, try window.more() else { break }
            }
        } catch {
            return error
        }
        length = end
        nextLine += 1
        return fault(message)
    }
}

extension DelimitedReader.Dialect {
    fileprivate func unescaped(_ bytes: Slice<UnsafeRawBufferPointer>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let byte = bytes[index]
            index += 1
            switch self {
            case .comma:
                result.append(byte)
                if byte == UInt8(ascii: "\"") { index += 1 }
            case .tab:
                guard byte == UInt8(ascii: "\\"), index < bytes.endIndex,
                    let meant = Self.meaning(of: bytes[index])
                else {
                    result.append(byte)
                    continue
                }
                result.append(meant)
                index += 1
            }
        }
        return result
    }

    private static func meaning(of letter: UInt8) -> UInt8? {
        switch letter {
        case UInt8(ascii: "t"): 0x09
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "\\"): UInt8(ascii: "\\")
        default: nil
        }
    }
}
