import CSystem
import Glibc
import Platform
import Testing

/// A program at work, its three streams in files.
final class RunningProgram {
    let pid: pid_t
    private let output: String
    private let errors: String
    private var isCollected = false

    init(
        _ program: String, _ arguments: [String], environment: [String: String],
        directory: String, input: String, output: String, errors: String
    ) throws {
        self.output = output
        self.errors = errors
        try Files.replace(output, with: [], durable: false)
        try Files.replace(errors, with: [], durable: false)
        let given = try Descriptor.open(input)
        let printed = try Descriptor.open(output, writing: true)
        let complained = try Descriptor.open(errors, writing: true)
        let words = CTexts([program] + arguments)
        let variables = CTexts(environment.map { "\($0.key)=\($0.value)" })
        var pid: pid_t = 0
        let code = satchel_spawn(
            &pid, program, words.pointers, variables.pointers, directory, given.number,
            printed.number, complained.number)
        try #require(code == 0, "cannot start \(program): \(SystemError.words(for: code))")
        self.pid = pid
    }

    deinit {
        guard !isCollected else { return }
        kill(-pid, SIGKILL)
        waitpid(pid, nil, 0)
    }

    /// Sends a signal to the program alone.
    func signal(_ number: Int32) { kill(pid, number) }

    /// True once it has ended, whether or not that was waited for.
    var isOver: Bool {
        let end = Descriptor(taking: satchel_pidfd_open(pid))
        return !Poll.wait(reading: [end.number], milliseconds: 0).isEmpty
    }

    /// True once it has a say in what a signal does to it, by a handler or by a descriptor.
    func handles(_ number: Int32) throws -> Bool {
        let status = try Files.read("/proc/\(pid)/status")
        let masks = String(decoding: status, as: UTF8.self).split(separator: "\n").filter {
            $0.hasPrefix("SigBlk:") || $0.hasPrefix("SigCgt:")
        }
        let set = masks.reduce(0) { set, line in
            set | (line.split(separator: "\t").last.flatMap { UInt64($0, radix: 16) } ?? 0)
        }
        return set & (1 << UInt64(number - 1)) != 0
    }

    /// Waits for its end; a program that takes longer is killed, and the test fails.
    func wait(seconds: Int64 = 600) throws -> Ended {
        let end = Descriptor(taking: satchel_pidfd_open(pid))
        var isLate = false
        if Poll.wait(reading: [end.number], milliseconds: seconds * 1_000).isEmpty {
            isLate = true
            kill(-pid, SIGKILL)
        }
        var status: Int32 = 0
        waitpid(pid, &status, 0)
        isCollected = true
        let code =
            satchel_exited(status) != 0
            ? satchel_exit_code(status) : 128 + satchel_signal_number(status)
        let ended = Ended(code: code, output: try printed, errors: try complained)
        try #require(!isLate, "not done within \(seconds) s: \(ended)")
        return ended
    }

    /// What it has written to standard output so far.
    var printed: String {
        get throws { String(decoding: try Files.read(output), as: UTF8.self) }
    }

    /// What it has written to standard error so far.
    var complained: String {
        get throws { String(decoding: try Files.read(errors), as: UTF8.self) }
    }
}

/// Texts as C wants them: an array of pointers with a null at its end.
private final class CTexts {
    let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private let count: Int

    init(_ texts: [String]) {
        count = texts.count
        pointers = .allocate(capacity: count + 1)
        for (index, text) in texts.enumerated() { pointers[index] = strdup(text) }
        pointers[count] = nil
    }

    deinit {
        for index in 0..<count { free(pointers[index]) }
        pointers.deallocate()
    }
}
