// Connections: which there are, which are needed, and what each carries.

extension LiveSession {
    /// Gives what waits to connections that have room, and connects those.
    mutating func place(_ now: Int64) {
        for index in states.indices {
            guard case .waiting(let time) = states[index].phase, time <= now else { continue }
            guard let line = room(now) else { break }
            guard lines[line].phase == .ready, lines[line].pauseUntil <= now else { continue }
            starts += 1
            let id = "\(index).\(starts)"
            states[index].id = id
            states[index].credentials = credentials
            states[index].phase = .starting(line: line, since: now)
            effects.append(.start(line: line, id: id, subject: index, states[index].attempt))
        }
    }

    /// A connection with room, begun where there is none that stands or is about to.
    private mutating func room(_ now: Int64) -> Int? {
        if let ready = lines.indices.first(where: {
            lines[$0].phase == .ready && lines[$0].pauseUntil <= now
                && load($0) < lines[$0].capacity
        }) {
            return ready
        }
        // One at a time: what it cannot carry comes to the next.
        for index in lines.indices where load(index) < lines[index].capacity {
            switch lines[index].phase {
            case .connecting, .greeted, .ready: return index
            case .down(let time):
                guard time <= now else { continue }
                connect(index, now)
                return index
            }
        }
        let isBlocked = lines.indices.contains { load($0) < lines[$0].capacity }
        guard !isBlocked, lines.count < limits.lines else { return nil }
        lines.append(Line(capacity: limits.perLine))
        connect(lines.count - 1, now)
        return lines.count - 1
    }

    private mutating func connect(_ line: Int, _ now: Int64) {
        lines[line].phase = .connecting(since: now)
        lines[line].garbage = 0
        lines[line].credentials = credentials
        effects.append(.connect(line: line))
    }

    /// Ends a connection from here, as one that is dead.
    mutating func drop(_ line: Int, _ now: Int64) {
        effects.append(.disconnect(line: line))
        lost(line, now)
    }

    /// A connection is gone: all it carried waits for another, and may have missed something.
    mutating func lost(_ line: Int, _ now: Int64, after pause: Int64? = nil) {
        let wait = pause ?? delay(after: lines[line].failures)
        lines[line].failures += 1
        lines[line].phase = .down(now + wait)
        for index in states.indices {
            switch states[index].phase {
            case .live(line):
                states[index].isMissing = true
                states[index].phase = .waiting(0)
            case .starting(line, _): states[index].phase = .waiting(0)
            default: break
            }
        }
    }

    var hasWaiting: Bool {
        states.contains { if case .waiting = $0.phase { true } else { false } }
    }

    func isNeeded(_ line: Int) -> Bool { hasWaiting || load(line) > 0 }

    func load(_ line: Int) -> Int {
        states.count { state in
            switch state.phase {
            case .starting(let place, _), .live(let place): place == line
            case .waiting, .refused: false
            }
        }
    }

    mutating func checkLines(_ now: Int64) {
        for index in lines.indices {
            switch lines[index].phase {
            case .connecting(let since) where now >= since + limits.greeting,
                .greeted(let since) where now >= since + limits.greeting:
                tellFailing(index, "the connection is not answered", isLasting: false)
                drop(index, now)
            case .ready where now >= lines[index].heardAt + lines[index].timeout: drop(index, now)
            default: break
            }
        }
    }
}
