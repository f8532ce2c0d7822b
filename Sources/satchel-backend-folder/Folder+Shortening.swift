internal import CSystem
internal import Glibc
internal import Platform

/// How long the log may get.
package struct LogBound: Sendable {
    /// Lines that stay when it is cut: changes that a cursor can still ask for.
    package var kept: Int64
    /// Lines at which it is cut.
    package var most: Int64

    package init(kept: Int64, most: Int64) {
        self.kept = kept
        self.most = most
    }

    package static let standard = LogBound(kept: 100_000, most: 200_000)
}

extension Folder {
    /// Runs of keys are put together up to this size: the lock is held meanwhile.
    private static let largestRun: Int64 = 64 << 20

    /// Cuts the oldest lines off a log that has become too long.
    ///
    /// 1. The keys of those lines reach the disk in files of their own: an operation that was
    ///    applied long ago must be known when it comes again.
    /// 2. The rest of the log takes the log's place, in one step.
    ///
    /// A crash between leaves keys in both, which does no harm. The caller holds the lock and has
    /// called `recover`.
    func shortenLog(to bound: LogBound = .standard) throws(SystemError) {
        let head = try log.head()
        guard head.seq - (try log.cut().seq) > bound.most, let workshop else { return }
        var cut: LogCut?
        var keys: [[UInt8]] = []
        try log.scan(from: nil) { (bytes, end) throws(SystemError) in
            // A line that is none of a log goes with the one before it.
            guard let (seq, key) = KeyRun.line(of: bytes) else { return true }
            guard seq <= head.seq - bound.kept else { return false }
            cut = LogCut(seq: seq, offset: end)
            keys.append(key)
            if keys.count == bound.kept { try keep(&keys, in: workshop) }
            return true
        }
        guard let cut else { return }
        try keep(&keys, in: workshop)
        try log.shorten(to: cut, aside: workshop.descriptor.number)
    }

    /// The files of the keys that are in the log no more, the oldest first.
    func keyRuns() throws(SystemError) -> [KeyRun] {
        guard let workshop else { return [] }
        return try KeyRun.all(
            in: workshop.descriptor.number, at: Path.join(path, Self.workshopName))
    }

    /// Puts `keys` into a new run, together with the runs that are no larger.
    private func keep(_ keys: inout [[UInt8]], in workshop: Workshop) throws(SystemError) {
        guard !keys.isEmpty else { return }
        keys.sort { KeyRun.order($0, $1) < 0 }
        try writeRun(in: workshop) { (output) throws(SystemError) in
            for key in keys { try output.write(key + [UInt8(ascii: "\n")]) }
        }
        keys = []
        while true {
            let runs = try keyRuns()
            guard runs.count >= 2,
                case let (older, newer) = (runs[runs.count - 2], runs[runs.count - 1]),
                older.size <= 2 * newer.size, older.size + newer.size <= Self.largestRun
            else { return }
            try writeRun(in: workshop) { (output) throws(SystemError) in
                try output.merge(try older.lines(), try newer.lines())
            }
            for run in [older, newer] {
                _ = unlinkat(workshop.descriptor.number, run.name, 0)
            }
        }
    }

    private func writeRun(
        in workshop: Workshop, _ fill: (ByteOutput) throws(SystemError) -> Void
    ) throws(SystemError) {
        let directory = workshop.descriptor.number
        let name = "new-keys"
        try SyncedFile.write(name, in: directory, fill)
        let last = try keyRuns().last.flatMap { KeyRun.number(of: $0.name) } ?? 0
        guard renameat(directory, name, directory, KeyRun.name(last + 1)) == 0,
            fsync(directory) == 0
        else { throw SystemError("write to \(path)", code: errno) }
    }
}

extension ByteOutput {
    /// Writes the lines of both in their order, what both have once.
    fileprivate func merge(_ one: LineReader, _ other: LineReader) throws(SystemError) {
        var left = try one.next()
        var right = try other.next()
        while true {
            switch (left, right) {
            case (.line(let first), .line(let second)):
                let order = KeyRun.order(first, second)
                try write(order <= 0 ? first : second)
                if order <= 0 { left = try one.next() }
                if order >= 0 { right = try other.next() }
            case (.line(let rest), _):
                try write(rest)
                left = try one.next()
            case (_, .line(let rest)):
                try write(rest)
                right = try other.next()
            default: return
            }
            try write(byte: UInt8(ascii: "\n"))
        }
    }
}
