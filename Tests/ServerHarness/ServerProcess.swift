internal import CSystem
internal import Glibc
internal import JSON
internal import Platform
internal import Synchronization

/// A server at work; it ends with this process, at the latest.
///
/// Starting one takes a second of a busy machine: those that a test is done with serve the next.
final class ServerProcess: Sendable {
    let port: Int
    private let arguments: [String]
    private let pid: pid_t
    /// The server ends when nobody holds it.
    private let input: Descriptor

    private static let idle = Mutex<[ServerProcess]>([])

    /// One with these arguments that nobody uses.
    static func free(_ arguments: [String]) throws -> ServerProcess {
        let found = idle.withLock { idle in
            idle.firstIndex { $0.arguments == arguments }.map { idle.remove(at: $0) }
        }
        if let found { return found }
        return try ServerProcess(arguments)
    }

    func giveBack() { Self.idle.withLock { $0.append(self) } }

    func kill() {
        Glibc.kill(pid, SIGKILL)
        waitpid(pid, nil, 0)
    }

    /// Starts Python with these arguments and waits for the line that tells the port.
    init(_ arguments: [String]) throws {
        let python = Path.join(AppSyncServer.root, ".build/servers/bin/python")
        guard Files.exists(python) else {
            throw AppSyncServer.Trouble(
                description: "the servers are missing: scripts/packages test")
        }
        let given = try Pipe.make()
        let printed = try Pipe.make()
        let words = CTexts([python] + arguments)
        let variables = CTexts(
            Environment.current().variables.map { "\($0.key)=\($0.value)" })
        var pid: pid_t = 0
        let code = satchel_spawn(
            &pid, python, words.pointers, variables.pointers,
            Path.join(AppSyncServer.root, "Tests/Servers"), given.reading.number,
            printed.writing.number, 2)
        guard code == 0 else {
            throw AppSyncServer.Trouble(description: "cannot start \(python)")
        }
        self.pid = pid
        self.arguments = arguments
        input = given.closeReading()
        let reading = printed.closeWriting()
        let reader = LineReader(reading.number, name: "the server")
        guard !Poll.wait(reading: [reading.number], milliseconds: 120_000).isEmpty,
            case .line(let line) = try reader.next(),
            let port = try JSONValue.parse(line)["port"]?.integer
        else {
            Glibc.kill(pid, SIGKILL)
            throw AppSyncServer.Trouble(description: "the server did not start")
        }
        self.port = Int(port)
        _ = consume reading
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
