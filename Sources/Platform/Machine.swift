internal import CSystem
internal import Glibc

/// Facts of this process and the machine it runs on.
package enum Machine {
    package static var processID: Int32 { getpid() }

    package static var userID: UInt32 { getuid() }

    /// The machine's own name; empty when it has none.
    package static var hostname: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 257) { buffer in
            buffer.initialize(repeating: 0)
            guard let start = buffer.baseAddress, gethostname(start, 256) == 0 else { return "" }
            return String(cString: start)
        }
    }

    /// A text that changes with each start of the machine; empty when the system has none.
    ///
    /// With it a process number is known to be of this boot and not of an earlier one.
    package static var bootID: String {
        do throws(SystemError) {
            let bytes = try Files.read("/proc/sys/kernel/random/boot_id", limit: 128)
            return String(decoding: bytes.prefix { $0 != 10 }, as: UTF8.self)
        } catch {
            return ""
        }
    }

    package static func send(_ signal: Int32, to process: Int32) throws(SystemError) {
        guard kill(process, signal) == 0 else {
            throw SystemError("signal process \(process)", code: errno)
        }
    }

    /// True while a process of that number exists, whoever owns it.
    package static func isAlive(_ process: Int32) -> Bool {
        kill(process, 0) == 0 || errno == EPERM
    }
}

/// Columns and rows of a terminal.
package struct TerminalSize: Equatable, Sendable {
    package var columns: Int
    package var rows: Int

    package init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
    }

    /// The size of the terminal behind a descriptor; nil when it is none or does not say.
    package init?(of descriptor: Int32) {
        var width: Int32 = 0
        var height: Int32 = 0
        guard satchel_terminal_size(descriptor, &width, &height) == 0, width > 0 else { return nil }
        columns = Int(width)
        rows = Int(height)
    }
}
