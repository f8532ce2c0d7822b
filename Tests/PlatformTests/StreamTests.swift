import Platform
import Testing

@Suite struct `Reading lines` {
    /// The lines of an input, read from a pipe that a second thread fills `chunk` bytes at a time.
    static func lines(
        of input: [UInt8], chunk: Int, limit: Int = 16 << 20
    ) throws -> (lines: [[UInt8]], complete: Bool) {
        let pipe = try Pipe.make()
        let reading = pipe.reading.number
        let writing = pipe.writing.number
        let writer = try Worker.start {
            let output = ByteOutput(writing, name: "pipe", capacity: max(chunk, 1))
            do throws(SystemError) {
                for start in stride(from: 0, to: input.count, by: chunk) {
                    try output.write(input[start..<min(start + chunk, input.count)])
                    try output.flush()
                }
                try output.write(byte: 0)
                try output.flush()
            } catch {}
        }
        // The writer's last byte is a zero, so the pipe need not be closed to see the end.
        let reader = LineReader(reading, name: "<stdin>", limit: limit)
        var lines: [[UInt8]] = []
        let newlines = input.count { $0 == 10 }
        var failure: SystemError?
        do throws(SystemError) {
            while lines.count < newlines, case .line(let bytes) = try reader.next() {
                lines.append(Array(bytes))
            }
        } catch {
            failure = error
        }
        // Before the pipe is closed: its number may be another test's the moment after.
        writer.join()
        _ = consume pipe
        if let failure { throw failure }
        return (lines, reader.endedInNewline)
    }

    @Test(arguments: [1, 2, 3, 7, 64 * 1024])
    func `finds the same lines however they arrive`(_ chunk: Int) throws {
        let input = Array("one\r\n\ntwo\rthree\n\u{e9}\n".utf8)
        let expected = ["one\r", "", "two\rthree", "\u{e9}"].map { Array($0.utf8) }
        #expect(try Self.lines(of: input, chunk: chunk).lines == expected)
    }

    @Test func `takes lines longer than its block`() throws {
        let long = [UInt8](repeating: 120, count: 3_000_000)
        let input = long + [10] + Array("short\n".utf8)
        let result = try Self.lines(of: input, chunk: 100_000)
        #expect(result.lines == [long, Array("short".utf8)])
    }

    @Test func `tells a last line without a newline`() throws {
        let directory = try TemporaryDirectory()
        try Files.replace(directory.file("in"), with: Array("a\nb".utf8))
        let file = try Descriptor.open(directory.file("in"))
        let reader = LineReader(file.number, name: "in")
        var seen: [String] = []
        var complete: [Bool] = []
        while case .line(let bytes) = try reader.next() {
            seen.append(String(decoding: bytes, as: UTF8.self))
            complete.append(reader.endedInNewline)
        }
        #expect(seen == ["a", "b"])
        #expect(complete == [true, false])
        #expect(reader.lineNumber == 2)
        _ = consume file
    }

    @Test func `refuses a line over the limit with its number`() throws {
        let error = #expect(throws: SystemError.self) {
            try Self.lines(of: Array("ok\nlonger than ten\n".utf8), chunk: 100, limit: 10)
        }
        #expect(error?.message == "<stdin>:2: the line is longer than 10 bytes")
    }

    @Test func `ends a wait when interrupted and goes on after a reset`() throws {
        let pipe = try Pipe.make()
        let interrupt = try Interrupt()
        let reader = LineReader(
            pipe.reading.number, name: "<stdin>", interrupting: interrupt.descriptor)
        let waker = try Worker.start { interrupt.raise(signal: 2) }
        guard case .interrupted = try reader.next() else {
            Issue.record("expected an interruption")
            return
        }
        waker.join()
        #expect(interrupt.isRaised && interrupt.signal == 2 && interrupt.count == 1)
        interrupt.reset()
        let output = ByteOutput(pipe.writing.number, name: "pipe")
        try output.write("next\n")
        try output.flush()
        guard case .line(let bytes) = try reader.next() else {
            Issue.record("expected a line")
            return
        }
        #expect(String(decoding: bytes, as: UTF8.self) == "next")
        _ = consume pipe
    }
}

@Suite struct `Writing output` {
    @Test func `tells a closed pipe apart`() throws {
        Signals.ignoreBrokenPipes()
        let writing = try Pipe.make().closeReading()
        let output = ByteOutput(writing.number, name: "standard output")
        try output.write("x")
        let error = #expect(throws: SystemError.self) { try output.flush() }
        #expect(error?.kind == .closedPipe)
        #expect(throws: SystemError.self) { try output.write("y") }
        _ = consume writing
    }

    @Test func `reports a full disk`() throws {
        let file = try Descriptor.open("/dev/full", writing: true)
        let output = ByteOutput(file.number, name: "standard output")
        try output.write([UInt8](repeating: 0, count: 1000))
        let error = #expect(throws: SystemError.self) { try output.flush() }
        #expect(error?.kind == .noSpace)
        #expect(error?.message == "cannot write to standard output: No space left on device")
        _ = consume file
    }

    @Test func `waits for a slow reader of a non-blocking pipe`() throws {
        let pipe = try Pipe.make()
        pipe.writing.setNonBlocking()
        let reading = pipe.reading.number
        let mailbox = try Mailbox<Int>()
        let reader = try Worker.start {
            let lines = LineReader(reading, name: "pipe")
            var total = 0
            do throws(SystemError) {
                while case .line(let bytes) = try lines.next(), bytes.count > 0 {
                    total += bytes.count
                }
            } catch {}
            mailbox.put(total)
        }
        let output = ByteOutput(pipe.writing.number, name: "pipe")
        for _ in 0..<1000 { try output.write(String(repeating: "a", count: 999) + "\n") }
        try output.write("\n")
        try output.flush()
        #expect(mailbox.take(within: 120_000) == 999_000)
        reader.join()
        _ = consume pipe
    }
}

@Suite struct `Messages between threads` {
    @Test func `arrive in order and wake the taker`() throws {
        let mailbox = try Mailbox<Int>()
        let worker = try Worker.start { for number in 0..<100 { mailbox.put(number) } }
        var seen: [Int] = []
        while seen.count < 100, let number = mailbox.take(within: 120_000) { seen.append(number) }
        worker.join()
        #expect(seen == Array(0..<100))
        #expect(mailbox.takeAll().isEmpty)
        #expect(mailbox.take(within: 1) == nil)
    }
}
