internal import CSystem
internal import Glibc

/// An open file descriptor that closes itself.
package struct Descriptor: ~Copyable, Sendable {
    package let number: Int32

    /// Takes over a descriptor that nothing else closes.
    package init(taking number: Int32) { self.number = number }

    /// Gives the descriptor away, open.
    package consuming func release() -> Int32 {
        let number = number
        discard self
        return number
    }

    deinit { _ = Glibc.close(number) }
}

/// Both ends of a pipe.
package struct Pipe: ~Copyable, Sendable {
    package let reading: Descriptor
    package let writing: Descriptor

    /// Makes a pipe that no child inherits; both ends are 3 or higher even when 0, 1 or 2 are closed.
    package static func make() throws(SystemError) -> Pipe {
        var ends: [Int32] = [-1, -1]
        guard satchel_pipe(&ends) == 0 else { throw SystemError("make a pipe", code: errno) }
        for index in 0...1 where ends[index] < 3 {
            let moved = fcntl(ends[index], F_DUPFD_CLOEXEC, 3)
            _ = Glibc.close(ends[index])
            ends[index] = moved
        }
        let pipe = Pipe(
            reading: Descriptor(taking: ends[0]), writing: Descriptor(taking: ends[1]))
        if ends.contains(-1) { throw SystemError("make a pipe", code: EMFILE) }
        return pipe
    }

    private init(reading: consuming Descriptor, writing: consuming Descriptor) {
        self.reading = reading
        self.writing = writing
    }
}

extension Pipe {
    /// Closes the reading end.
    package consuming func closeReading() -> Descriptor { writing }

    /// Closes the writing end.
    package consuming func closeWriting() -> Descriptor { reading }
}

extension Descriptor {
    /// Opens a file that is there, which no child inherits.
    package static func open(
        _ path: String, writing: Bool = false
    ) throws(SystemError) -> Descriptor {
        let number = Glibc.open(path, (writing ? O_WRONLY : O_RDONLY) | O_CLOEXEC)
        guard number >= 0 else {
            throw SystemError("\(writing ? "write" : "read") \(path)", code: errno)
        }
        return Descriptor(taking: number)
    }

    /// A counter to wake a poll with.
    package static func event() throws(SystemError) -> Descriptor {
        let number = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard number >= 0 else { throw SystemError("make an event counter", code: errno) }
        return Descriptor(taking: number)
    }

    /// Makes reads and writes return at once when they would wait.
    package func setNonBlocking() {
        let flags = fcntl(number, F_GETFL)
        _ = fcntl(number, F_SETFL, flags | O_NONBLOCK)
    }
}

/// Wakes whoever polls an event counter.
func signalEvent(_ descriptor: Int32) {
    var one: UInt64 = 1
    _ = Glibc.write(descriptor, &one, 8)
}

/// Takes back every wake-up of an event counter.
func drainEvent(_ descriptor: Int32) {
    var count: UInt64 = 0
    _ = Glibc.read(descriptor, &count, 8)
}
