import JSON
import Sync

/// The program of `command` policies: what it answers follows from what it is asked.
enum Resolver {
    static func answer(_ input: JSONValue, _ world: World) -> MergeAnswer {
        if world.strikes(.resolverFailed, 30, alike: true) { return .failed("exit 1") }
        if world.strikes(.resolverUnasked, 30, alike: true) { return .unasked("not trusted") }
        if world.strikes(.resolverRubbish, 40, alike: true) {
            return .record(JSONObject([("body", .int(7)), ("text", .array([])), ("id", .null)]))
        }
        guard case .object(let local)? = input["local"], case .object(let remote)? = input["remote"]
        else { return .failed("no records") }
        var answer = remote
        for (name, value) in local.pairs where (value.text ?? "") > (remote[name]?.text ?? "") {
            answer[name] = value
        }
        return .record(answer)
    }
}
