// What is due, and when.

extension LiveSession {
    /// Does what is due, and gives all that is to be done outside, in order.
    package mutating func step(_ now: Int64) -> [Effect] {
        doneAt = now
        checkLines(now)
        checkStarts(now)
        place(now)
        tellGap(now)
        defer { effects = [] }
        return effects
    }

    /// When something is due that no message brings; nil for nothing.
    ///
    /// What was due at the last step is done, or waits for a message.
    package func wakeAt() -> Int64? {
        var times: [Int64] = []
        for (index, line) in lines.enumerated() where isNeeded(index) {
            switch line.phase {
            case .down(let time): times.append(time)
            case .connecting(let since), .greeted(let since): times.append(since + limits.greeting)
            case .ready: times.append(line.heardAt + line.timeout)
            }
            times.append(line.pauseUntil)
        }
        for state in states {
            switch state.phase {
            case .waiting(let time): times.append(time)
            case .starting(_, let since): times.append(since + limits.start)
            case .live, .refused: break
            }
        }
        if let owed = owesGap {
            times.append(max(owed, lastGap ?? owed) + limits.gapPause)
        }
        return times.filter { $0 > doneAt }.min()
    }

    private mutating func checkStarts(_ now: Int64) {
        for index in states.indices {
            guard case .starting(let line, let since) = states[index].phase,
                now >= since + limits.start
            else { continue }
            effects.append(.stop(line: line, id: states[index].id))
            retry(index, now)
        }
    }

    mutating func retry(_ index: Int, _ now: Int64) {
        let wait = delay(after: states[index].failures)
        states[index].failures += 1
        states[index].phase = .waiting(now + wait)
    }

    mutating func missed(_ now: Int64) { owesGap = owesGap ?? now }

    private mutating func tellGap(_ now: Int64) {
        guard let owed = owesGap else { return }
        if let lastGap, now < lastGap + limits.gapPause { return }
        // Others that are about to stand have one word with it.
        let isBusy = states.contains { if case .starting = $0.phase { true } else { false } }
        if isBusy, now < owed + limits.gapPause { return }
        owesGap = nil
        lastGap = now
        effects.append(.gap)
    }
}
