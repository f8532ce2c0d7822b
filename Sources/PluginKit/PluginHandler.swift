package import JSON
package import Records

/// A backend written in Swift: the methods of protocol 1 in domain values.
///
/// Everything is called on one thread, one request at a time, `initialize` first. A method that
/// may take longer than a second asks `call.isCancelled` now and then.
package protocol PluginHandler: AnyObject {
    /// Such as "folder".
    var name: String { get }
    var version: String { get }
    /// What a person reads who runs the plugin by hand: one sentence.
    var summary: String { get }

    /// Connects to the remote that `setup` describes.
    ///
    /// `host` may be kept and told things at any time.
    func initialize(_ setup: PluginSetup, host: PluginHost) throws(PluginError) -> PluginWelcome

    /// Returns when the backend itself has answered.
    func ping(_ call: PluginCall) throws(PluginError)

    /// Puts the records after the query's cursor on `page`, at most `query.limit`.
    func pull(
        _ query: PluginQuery, onto page: PluginPage, _ call: PluginCall
    ) throws(PluginError) -> PluginPageEnd

    /// Puts the present state of some records on `page`; one that is not there, as deleted.
    func fetch(
        model: String, ids: [RecordID], onto page: PluginPage, _ call: PluginCall
    ) throws(PluginError)

    /// Makes changes.
    ///
    /// - Returns: A verdict an operation, in their order; nil where the outcome is not known.
    func push(
        _ operations: [PluginOperation], _ call: PluginCall
    ) throws(PluginError) -> [PluginVerdict?]

    /// Sends events of these models from now on, all of them when nil.
    func subscribe(
        models: [String]?, filters: JSONValue?, _ call: PluginCall
    ) throws(PluginError)

    /// The schema of the remote, where it has one.
    func schema(_ call: PluginCall) throws(PluginError) -> PluginSchema

    /// The next question on the way to a configuration; may be called before `initialize`.
    func configure(
        answers: JSONObject, _ call: PluginCall
    ) throws(PluginError) -> PluginQuestion

    /// Descriptors whose readiness `react` is to be told of.
    var watchedDescriptors: [Int32] { get }

    func react(to descriptor: Int32)

    /// Does a piece of work that could wait, while the host asks nothing.
    func idle() -> PluginIdle

    /// Puts everything in order before the process ends.
    func finish()
}

/// When a plugin that the host leaves alone wants to work on.
package enum PluginIdle: Equatable, Sendable {
    /// At once: there is more to do.
    case again
    /// After a pause of so many milliseconds, if the host still asks nothing.
    case later(milliseconds: Int64)
    /// Not before the host has asked something.
    case done
}

/// A remote's schema, in whichever form it has it.
package enum PluginSchema: Sendable {
    case sdl(String)
    /// `models`, `enums` and `types` as the protocol writes them.
    case models(JSONObject)
}

extension PluginHandler {
    package func fetch(
        model: String, ids: [RecordID], onto page: PluginPage, _ call: PluginCall
    ) throws(PluginError) {
        throw PluginError(.unsupported, "\(name) does not fetch single records")
    }

    package func push(
        _ operations: [PluginOperation], _ call: PluginCall
    ) throws(PluginError) -> [PluginVerdict?] {
        throw PluginError(.unsupported, "\(name) is read-only")
    }

    package func subscribe(
        models: [String]?, filters: JSONValue?, _ call: PluginCall
    ) throws(PluginError) {
        throw PluginError(.unsupported, "\(name) sends no events")
    }

    package func schema(_ call: PluginCall) throws(PluginError) -> PluginSchema {
        throw PluginError(.unsupported, "\(name) has no schema of its own")
    }

    package func configure(
        answers: JSONObject, _ call: PluginCall
    ) throws(PluginError) -> PluginQuestion {
        throw PluginError(.unsupported, "\(name) asks no questions")
    }

    package var watchedDescriptors: [Int32] { [] }
    package func react(to descriptor: Int32) {}
    package func idle() -> PluginIdle { .done }
    package func finish() {}
}
