package import JSON
import Sabotage

/// What a number of runs held.
package struct Totals: Sendable, Equatable {
    package var seeds = 0
    package var steps = 0
    package var faults = [Int](repeating: 0, count: Fault.allCases.count)
    package var actions = [Int](repeating: 0, count: Action.allCases.count)

    /// Follows from all that happened, in whatever order the runs were.
    package var fingerprint: UInt64 = 0

    package init() {}

    /// Takes in what happened, after all that happened before.
    mutating func sign(_ event: String) {
        fingerprint = Draw.mix(fingerprint, Draw.hash(event))
    }

    mutating func count(_ fault: Fault) { faults[fault.rawValue] += 1 }

    mutating func count(_ action: Action) {
        if let place = Action.allCases.firstIndex(of: action) { actions[place] += 1 }
    }

    package mutating func add(_ other: Totals) {
        seeds += other.seeds
        steps += other.steps
        fingerprint ^= other.fingerprint
        for place in faults.indices { faults[place] += other.faults[place] }
        for place in actions.indices { actions[place] += other.actions[place] }
    }

    /// Names of faults and actions that never occurred.
    package var missing: [String] {
        zip(Fault.allCases, faults).filter { $1 == 0 }.map { "\($0.0)" }
            + zip(Action.allCases, actions).filter { $1 == 0 }.map(\.0.rawValue)
    }

    /// `{"seeds", "steps", "fingerprint", "faults": {name: count}, "actions": {name: count}}`.
    package var json: JSONObject {
        let faults = zip(Fault.allCases, faults).map { ("\($0)", JSONValue.int(Int64($1))) }
        let actions = zip(Action.allCases, actions).map { ($0.rawValue, JSONValue.int(Int64($1))) }
        return JSONObject([
            ("seeds", .int(Int64(seeds))), ("steps", .int(Int64(steps))),
            ("fingerprint", .string(String(fingerprint, radix: 16))),
            ("faults", .object(JSONObject(faults))), ("actions", .object(JSONObject(actions))),
        ])
    }
}
