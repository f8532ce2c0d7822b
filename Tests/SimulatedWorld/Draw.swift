/// The one source of chance of a run.
///
/// What is drawn depends on the step's seed, on the name of the question and on how often the step
/// asked it before, and on nothing else. So a step does the same where others are left out, and
/// where the simulation has learned to ask more.
final class Draw {
    private struct Frame {
        var seed: UInt64
        /// How often each question was asked, then each fault.
        var asked = [UInt16](repeating: 0, count: Draw.hashes.count)
        /// Which nested step this is, as `struck` spells it.
        var path = ""
    }

    private static let hashes: [UInt64] =
        (Question.allCases.map { "\($0)" } + Fault.allCases.map { "\($0)" }).map(hash)

    private var frame = Frame(seed: 0)
    /// The faults that may strike, in a replay; nil where they are drawn.
    private var wanted: [String: String]?
    /// What the fault that struck last was recorded with.
    private(set) var detail = ""
    private(set) var struck: [String] = []
    var isFaulty = true
    /// Faults are so many times rarer.
    var calm: UInt64 = 1

    /// Begins a step; `faults` are those of a recorded one.
    func begin(_ seed: UInt64, faults: [String]? = nil) {
        frame = Frame(seed: seed)
        struck = []
        wanted = nil
        guard let faults else { return }
        var named: [String: String] = [:]
        for fault in faults {
            let parts = fault.split(separator: "=", maxSplits: 1).map(String.init)
            named[parts[0]] = parts.count > 1 ? parts[1] : ""
        }
        wanted = named
    }

    /// Records a detail of the fault that struck just now.
    func note(_ detail: String) {
        guard let last = struck.popLast() else { return }
        struck.append("\(last)=\(detail)")
    }

    /// True within a step of another process's.
    var isNested: Bool { !frame.path.isEmpty }

    /// Runs a step within the step.
    func nested<T>(_ body: () throws -> T) rethrows -> T {
        let number = count(Question.nested.place)
        let outer = frame
        frame = Frame(
            seed: Draw.mix(outer.seed, UInt64(number) &+ 1), path: "\(outer.path)\(number)/")
        defer { frame = outer }
        return try body()
    }

    private func count(_ place: Int) -> Int {
        let number = Int(frame.asked[place])
        frame.asked[place] &+= 1
        return number
    }

    private func bits(_ place: Int, _ number: Int) -> UInt64 {
        Draw.mix(frame.seed ^ Draw.hashes[place], UInt64(number))
    }

    // MARK: Questions

    func bits(_ question: Question) -> UInt64 {
        bits(question.place, count(question.place))
    }

    func number(_ question: Question, _ range: Range<Int>) -> Int {
        range.lowerBound + Int(bits(question) % UInt64(range.count))
    }

    /// True in `percent` of a hundred draws.
    func chance(_ question: Question, _ percent: Int) -> Bool {
        bits(question) % 100 < UInt64(percent)
    }

    /// One of the choices; which one does not depend on those that are not taken.
    func pick<T>(_ question: Question, _ choices: [T], name: (T) -> String) -> T? {
        weigh(question, choices.map { (1, name($0), $0) })
    }

    /// One of the choices, each as likely as its weight says.
    ///
    /// Each has so many tickets, and the highest wins: a choice that joins changes nothing where it
    /// does not win.
    func weigh<T>(_ question: Question, _ choices: [(weight: Int, name: String, value: T)]) -> T? {
        let seed = bits(question)
        var best: (ticket: UInt64, value: T)?
        for (weight, name, value) in choices {
            let hash = Draw.hash(name)
            for number in 0..<weight {
                let ticket = Draw.mix(seed ^ hash, UInt64(number))
                if ticket >= best?.ticket ?? 0 { best = (ticket, value) }
            }
        }
        return best?.value
    }

    // MARK: Faults

    /// True when the fault strikes now: in so many of a hundred draws, or where it was recorded.
    ///
    /// `alike` in every weather.
    func strikes(_ fault: Fault, _ percent: Int, alike: Bool = false) -> Bool {
        guard isFaulty else { return false }
        let number = count(fault.place)
        if let wanted {
            if wanted.isEmpty { return false }
            guard let known = wanted["\(frame.path)\(fault)#\(number)"] else { return false }
            detail = known
        } else {
            let hundred = 100 * (alike ? 1 : calm)
            guard bits(fault.place, number) % hundred < UInt64(percent) else { return false }
        }
        struck.append("\(frame.path)\(fault)#\(number)")
        return true
    }

    // MARK: Bits

    static func mix(_ a: UInt64, _ b: UInt64) -> UInt64 {
        var z = a &+ (b &+ 1) &* 0x9E37_79B9_7F4A_7C15
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    static func hash(_ text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}

/// What a step asks chance for.
enum Question: Int, CaseIterable {
    case length, who, action, time, nested
    case model, record, parent, field, value, rubbish, more
    case key, jitter, group, pause, crash, storeCall
    case repair, resolution, options, filter, loss, told, schema

    var place: Int { rawValue }
}

extension Fault {
    var place: Int { Question.allCases.count + rawValue }
}
