internal import Platform
internal import PluginKit

/// A model's records as they are now, page by page in the order of their files' names.
///
/// What is written while it runs may be in it or not; the log's end at its start is where the
/// deltas go on, so nothing is missed.
final class Snapshot {
    let model: String
    /// The log's end when the snapshot began.
    let start: LogPosition
    private let directory: ModelDirectory?
    private let listing: DirectoryListing
    private let reader: RecordReader
    private var readAhead = ReadAheadControl()
    /// The page that follows the latest one, begun while the host was busy with that.
    private var ahead: Draft?

    private struct Draft {
        let first: Int
        var next: Int
        var isFull: Bool
        let limit: Int
        let buffer: PageBuffer
    }

    /// A finished page.
    struct Page {
        var buffer: PageBuffer
        /// The name of the last file looked at; nil when the snapshot is complete.
        var after: String?
    }

    init(
        model: String, start: LogPosition, directory: ModelDirectory?, names: FolderName,
        _ beat: () -> Bool
    ) throws(SystemError) {
        self.model = model
        self.start = start
        self.directory = directory
        reader = RecordReader(names: names)
        if let directory {
            listing = try DirectoryListing(of: directory, beat)
        } else {
            listing = DirectoryListing()
        }
    }

    /// The page after the file `after`.
    ///
    /// - Parameters:
    ///   - after: Nil for the first page.
    ///   - limit: Records the page may hold.
    ///   - beat: Called now and then with the number of files done; false stops.
    /// - Returns: Nil when stopped.
    /// - Throws: When the directory or, for want of a drive, a file in it cannot be read.
    func page(
        after: String?, limit: Int, _ beat: (_ done: Int, _ total: Int) -> Bool
    ) throws(SystemError) -> Page? {
        let first = after.map { listing.index(after: $0) } ?? 0
        var draft = ahead ?? begin(at: first, limit: limit)
        ahead = nil
        if draft.first != first || draft.limit != limit {
            draft = begin(at: first, limit: limit)
        }
        while !draft.isFull {
            guard beat(draft.next, listing.count) else { return nil }
            try fill(&draft, files: 512)
        }
        guard draft.next < listing.count else { return Page(buffer: draft.buffer, after: nil) }
        ahead = begin(at: draft.next, limit: limit)
        let last = String(decoding: listing[draft.next - 1], as: UTF8.self)
        return Page(buffer: draft.buffer, after: last)
    }

    /// Works on the next page for a moment; false when there is nothing to do.
    func prepareAhead() -> Bool {
        guard var draft = ahead, !draft.isFull else { return false }
        ahead = nil
        do throws(SystemError) {
            try fill(&draft, files: 256)
            ahead = draft
            return true
        } catch {
            // The request for the page will meet the error again and report it.
            return false
        }
    }

    private func begin(at index: Int, limit: Int) -> Draft {
        Draft(
            first: index, next: index, isFull: index == listing.count, limit: limit,
            buffer: PageBuffer())
    }

    private func fill(_ draft: inout Draft, files: Int) throws(SystemError) {
        guard let directory else { return }
        let end = min(draft.next + files, listing.count)
        readAhead.begin(at: draft.next, of: listing, in: directory)
        defer { readAhead.end(at: draft.next, in: directory) }
        while draft.next < end {
            let mark = (used: draft.buffer.used, count: draft.buffer.count)
            _ = try reader.append(
                listing[draft.next], in: directory, onto: draft.buffer, tombstones: false)
            if draft.buffer.used > PageBuffer.limit, mark.count > 0 {
                draft.buffer.rewind(to: mark)
                draft.isFull = true
                return
            }
            draft.next += 1
            if draft.buffer.count == draft.limit { break }
        }
        draft.isFull = draft.buffer.count >= draft.limit || draft.next == listing.count
    }
}
