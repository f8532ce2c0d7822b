internal import CSystem
internal import Glibc
internal import Platform

/// Drains a child's output and errors on a thread of its own, until the child has ended.
///
/// It never waits for its consumer, so the child never waits for it. That what the child leaves
/// behind may hold the pipes open does not matter: the end of the child is the end.
struct OutputReader: ~Copyable, Sendable {
    enum Event {
        /// A whole line of output, without its LF; the bytes are valid during the call.
        case line(UnsafeRawBufferPointer)
        /// Output that does not begin as a message must; all of it that came within a moment.
        case foreign([UInt8])
        /// A line over the limit; what follows of the output is dropped.
        case tooLong
        /// The output ended, or the process did, inside a line that began so.
        case halfLine([UInt8])
        /// The process closed its output and goes on running.
        case closed
        /// A piece of what it wrote to its standard error, at most a line.
        case errors(UnsafeRawBufferPointer)
        /// The process is collected, and what it started gone; always the last event.
        case ended(ExitStatus)
    }

    /// The longest line of protocol 1.
    static let limit = 16 << 20
    /// How long foreign output may go on before it is reported.
    private static let moment: Int64 = 100
    /// A pipe holds no more than this, so this much after its end is all the process wrote.
    private static let pipeCapacity = 1 << 20

    private let output: Descriptor
    private let errors: Descriptor
    private let process: GuardedProcess
    private let sink: @Sendable (Event) -> Void

    init(
        output: consuming Descriptor, errors: consuming Descriptor, process: GuardedProcess,
        sink: @escaping @Sendable (Event) -> Void
    ) {
        output.setNonBlocking()
        errors.setNonBlocking()
        self.output = output
        self.errors = errors
        self.process = process
        self.sink = sink
    }

    /// Works until the process has ended.
    func run() {
        var state = State()
        while true {
            var watched = [process.descriptor]
            if state.outputIsOpen { watched.append(output.number) }
            if state.errorsAreOpen { watched.append(errors.number) }
            let ready = Poll.wait(reading: watched, milliseconds: state.patience)
            if ready.isEmpty { state.timeIsUp(sink) }
            if ready.contains(output.number) { readOutput(&state) }
            if ready.contains(errors.number) { readErrors(&state) }
            if ready.contains(process.descriptor) { break }
        }
        let status = process.collect()
        var drained = 0
        while state.outputIsOpen, drained <= Self.pipeCapacity {
            let got = readOutput(&state)
            if got <= 0 { break }
            drained += got
        }
        drained = 0
        while state.errorsAreOpen, drained <= Self.pipeCapacity {
            let got = readErrors(&state)
            if got <= 0 { break }
            drained += got
        }
        state.finish(sink)
        sink(.ended(status))
    }

    @discardableResult
    private func readOutput(_ state: inout State) -> Int {
        let got = state.lines.fill(from: output.number)
        if got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR) {
            state.outputIsOpen = false
            state.endOfOutput(sink)
        } else if got > 0 {
            state.takeLines(sink, limit: Self.limit)
        }
        return got
    }

    @discardableResult
    private func readErrors(_ state: inout State) -> Int {
        let got = state.complaints.fill(from: errors.number)
        if got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR) {
            state.errorsAreOpen = false
        } else if got > 0 {
            while let line = state.complaints.next() { sink(.errors(line)) }
            if state.complaints.rest.count >= 8 * 1024 {
                sink(.errors(state.complaints.rest))
                state.complaints.dropRest()
            }
        }
        return got
    }
}

extension OutputReader {
    /// How far the reading of both pipes has come.
    private struct State: ~Copyable {
        var lines = LineSplitter(capacity: 1 << 20)
        var complaints = LineSplitter(capacity: 64 * 1024)
        var outputIsOpen = true
        var errorsAreOpen = true
        /// Nothing of the output is a message any more.
        private var isDeaf = false
        private var awaitsClosing = false

        /// How long to wait for the next bytes before `timeIsUp`.
        var patience: Int64 {
            if awaitsClosing { return 1_000 }
            return !isDeaf && restIsForeign ? OutputReader.moment : -1
        }

        private var restIsForeign: Bool {
            lines.rest.first.map { $0 != UInt8(ascii: "{") } ?? false
        }

        mutating func takeLines(_ sink: (Event) -> Void, limit: Int) {
            while let line = lines.next() {
                if isDeaf { continue }
                if line.count > limit {
                    isDeaf = true
                    sink(.tooLong)
                } else if line.first != UInt8(ascii: "{") {
                    isDeaf = true
                    sink(.foreign(Array(line.prefix(4096))))
                } else {
                    sink(.line(line))
                }
            }
            if !isDeaf {
                if lines.rest.count > limit {
                    isDeaf = true
                    sink(.tooLong)
                } else if restIsForeign, lines.rest.count >= 4096 {
                    timeIsUp(sink)
                }
            }
            if isDeaf { lines.dropRest() }
        }

        mutating func timeIsUp(_ sink: (Event) -> Void) {
            if awaitsClosing {
                awaitsClosing = false
                sink(.closed)
            } else if !isDeaf, restIsForeign {
                isDeaf = true
                sink(.foreign(Array(lines.rest.prefix(4096))))
                lines.dropRest()
            }
        }

        /// The output has ended; the process usually follows within a moment.
        mutating func endOfOutput(_ sink: (Event) -> Void) {
            reportRest(sink)
            awaitsClosing = !isDeaf
        }

        mutating func finish(_ sink: (Event) -> Void) {
            reportRest(sink)
            if !complaints.rest.isEmpty { sink(.errors(complaints.rest)) }
        }

        private mutating func reportRest(_ sink: (Event) -> Void) {
            guard !isDeaf, !lines.rest.isEmpty else { return }
            let rest = Array(lines.rest.prefix(4096))
            sink(restIsForeign ? .foreign(rest) : .halfLine(rest))
            isDeaf = true
            lines.dropRest()
        }
    }
}
