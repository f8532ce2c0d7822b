package import JSON
internal import Platform

/// A listing being written in one format: a header, rows as they come, an end.
///
/// Rows are written as they arrive; only the table keeps some, to measure its columns.
package protocol RowSink {
    /// False when more rows would not be shown: the caller may stop and tell `end` the total.
    var wantsRows: Bool { get }

    mutating func begin(_ columns: Columns) throws(ShellError)

    /// Takes a row and what `include` found for it.
    ///
    /// `included` has a value for each `included` column, in order: an object or null for a
    /// relation to one, an array for a relation to many.
    mutating func row<Row: OutputRow & ~Copyable>(
        _ row: borrowing Row, included: [JSONValue]
    ) throws(ShellError)

    /// Writes what is left and hands everything on.
    ///
    /// `total` says how many rows there are where the caller stopped before the last.
    mutating func end(total: Int?) throws(ShellError)
}

extension RowSink {
    package mutating func begin(_ columns: [Column]) throws(ShellError) {
        try begin(Columns(columns))
    }

    package var wantsRows: Bool { true }

    package mutating func row<Row: OutputRow & ~Copyable>(
        _ row: borrowing Row
    ) throws(ShellError) {
        try self.row(row, included: [])
    }

    package mutating func end() throws(ShellError) { try end(total: nil) }
}

/// Collects bytes and writes them in large pieces.
struct Spool {
    let sink: any ByteSink
    var bytes: [UInt8] = []

    init(_ sink: any ByteSink) { self.sink = sink }

    private static let size = 32 * 1024

    /// Call after each row.
    mutating func pour() throws(ShellError) {
        if bytes.count >= Self.size { try drain() }
    }

    mutating func drain() throws(ShellError) {
        do throws(SystemError) { try sink.write(bytes) } catch { throw ShellError(error) }
        bytes.removeAll(keepingCapacity: true)
    }

    /// Writes what there is and hands it on.
    mutating func flush() throws(ShellError) {
        try drain()
        do throws(SystemError) { try sink.flush() } catch { throw ShellError(error) }
    }
}
