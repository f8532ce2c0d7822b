internal import Glibc
package import Platform
internal import Records

/// The file of what the plugins of a context say on the side: the latest of it.
///
/// Processes that write at once share it. A file that has become large is put aside, in place of
/// the one that was put aside before.
package struct PluginLogFile: Sendable {
    private let path: String
    private let largest: Int64
    private let clock: Clock

    /// - Parameters:
    ///   - path: Of the file; a link in its place is not followed.
    ///   - largest: Bytes after which it is put aside. Two files of that size are the most there is.
    ///   - clock: Says when a line came.
    package init(_ path: String, largest: Int64 = 1 << 20, clock: Clock) {
        self.path = path
        self.largest = largest
        self.clock = clock
    }

    /// All files that belong to the log at `path`.
    package static func files(_ path: String) -> [String] { [path, aside(path)] }

    /// Adds a line with the time of day; one that cannot be written is lost, and stops nothing.
    package func append(_ message: String) {
        putAside()
        let flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let number = open(path, flags, 0o600)
        guard number >= 0 else { return }
        let file = Descriptor(taking: number)
        let output = ByteOutput(file.number, name: path)
        do throws(SystemError) {
            try output.write("\(Instant.format(milliseconds: clock.now())) \(message)\n")
            try output.flush()
        } catch {}
    }

    private func putAside() {
        do throws(SystemError) {
            let status = try Files.status(path)
            guard status.isRegular, status.size >= largest else { return }
            try Files.rename(path, to: Self.aside(path))
        } catch {}
    }

    private static func aside(_ path: String) -> String { path + ".old" }
}
