/// A run as a list of what happens: it can be read, written down and cut shorter.
package struct Scenario: Sendable, Equatable {
    package struct Step: Sendable, Equatable {
        /// Such as `a`, or `a'` for its second process.
        var process: String
        var action: Action
        /// What the step draws follows from it.
        var seed: UInt64
        /// The faults that strike: name and occasion.
        var faults: [String]
    }

    package var setting: Setting
    package var steps: [Step]
    /// What the run shows, in words.
    package var comments: [String] = []
    /// The fault in the engine that the run finds, and what catches it.
    package var finds: (sabotage: String, invariant: String)?

    package static func == (left: Scenario, right: Scenario) -> Bool {
        left.text == right.text
    }

    /// One line a step: `a createPost 5f3a replyLost#0`.
    package var text: String {
        var lines = comments.map { "# \($0)" }
        if let finds { lines.append("finds \(finds.sabotage) by \(finds.invariant)") }
        lines.append("setting \(setting.text)")
        for step in steps {
            let words = [step.process, step.action.rawValue, String(step.seed, radix: 16)]
            lines.append((words + step.faults).joined(separator: " "))
        }
        return lines.joined(separator: "\n") + "\n"
    }

    init(setting: Setting, steps: [Step] = []) {
        self.setting = setting
        self.steps = steps
    }

    /// - Throws: `Violation` with invariant `scenario`, naming the line.
    package init(parsing text: String) throws {
        var given: [String: String] = [:]
        var steps: [Step] = []
        for line in text.split(separator: "\n") {
            if line.hasPrefix("#") {
                comments.append(String(line.dropFirst(2)))
                continue
            }
            let words = line.split(separator: " ").map(String.init)
            if words.first == "setting" {
                for word in words.dropFirst() {
                    let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
                    if parts.count == 2 { given[parts[0]] = parts[1] }
                }
            } else if words.count == 4, words[0] == "finds", words[2] == "by" {
                finds = (words[1], words[3])
            } else if words.count >= 3, let action = Action(rawValue: words[1]),
                let seed = UInt64(words[2], radix: 16)
            {
                steps.append(
                    Step(
                        process: words[0], action: action, seed: seed,
                        faults: Array(words.dropFirst(3))))
            } else {
                throw Violation(invariant: "scenario", detail: "not understood: \(line)")
            }
        }
        setting = Setting(draw: nil, given: given)
        self.steps = steps
    }
}
