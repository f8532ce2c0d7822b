package import JSON
package import PluginKit
internal import Records

/// Reads one page of a model's records out of an answer.
package struct PageReader: Sendable {
    private let plan: ModelPlan
    private let host: String

    package init(_ plan: ModelPlan, host: String) {
        self.plan = plan
        self.host = host
    }

    /// What a page holds beside its records.
    package struct End: Sendable, Equatable {
        package var token: String?
        package var startedAt: Int64?
        /// Items there were, those that are no records among them.
        package var count: Int
    }

    /// The outline of a page, without its records.
    ///
    /// - Throws: When there is no page, when one of its items failed in a way that may pass, and for an
    ///   error that is about none of its items: whatever came, it need not be all that there is.
    package func end(of answer: GraphQLAnswer, root: String) throws(PluginError) -> End {
        guard let page = answer.value(at: [root]), let items = page["items"]?.elements else {
            throw error(answer.fault(of: root))
        }
        if let fault = answer.errors.first(where: { fault in
            fault.kind == .throttled || fault.item(below: root, of: items.count) == nil
        }) {
            throw error(fault)
        }
        // Taken for the last one, a page would have what follows it deleted.
        guard let next = page["nextToken"], next.isNull || next.text?.isEmpty == false else {
            throw PluginError(
                .permanent, "\(host) does not tell what follows a page of \(plan.model.name)",
                hint: "it is a fault of the API: nextToken is null, or a text that is not empty")
        }
        return End(token: next.text, startedAt: page["startedAt"]?.integer, count: items.count)
    }

    /// Reads the records of a page one by one, or those of a part of it.
    ///
    /// Each is given to `take`, with the data that it was read from and its place in words.
    package func read(
        _ answer: GraphQLAnswer, root: String, in part: Range<Int>? = nil,
        _ take: (Item, JSONValue, String) -> Void
    ) {
        let items = answer.value(at: [root, "items"])?.elements ?? []
        let faults = Self.faults(answer, root)
        for index in part ?? items.indices {
            let item = items[index]
            var read = plan.item(item)
            // A field that this user may not see is null, and so it is shown.
            let serious = faults[index]?.first { $0.kind != .permission || item.isNull }
            if let serious {
                let reason = "\(host) could not give it: \(serious.message)"
                read =
                    switch read {
                    case .record(let id, _, _), .deleted(let id, _): .bad(id, reason)
                    case .bad(let id, _): .bad(id, reason)
                    }
            }
            take(read, item, "(item \(index) of a page)")
        }
    }

    /// The errors that are about an item, by its place.
    private static func faults(_ answer: GraphQLAnswer, _ root: String) -> [Int: [GraphQLFault]] {
        var faults: [Int: [GraphQLFault]] = [:]
        for fault in answer.errors {
            if let index = fault.item(below: root, of: .max) {
                faults[index, default: []].append(fault)
            }
        }
        return faults
    }

    /// Why a whole page failed.
    private func error(_ fault: GraphQLFault?) -> PluginError {
        guard let fault else {
            return PluginError(.retryable, "\(host) answered without a page of \(plan.model.name)")
        }
        return PluginError(fault, doing: "read \(plan.model.name)", host: host)
    }
}

extension GraphQLFault {
    /// The place of the item that it is about, in a list of so many; nil where it is about none.
    fileprivate func item(below root: String, of count: Int) -> Int? {
        guard path.count > 2, path[0] == .string(root), path[1] == "items",
            let index = path[2].integer, index >= 0, index < count
        else { return nil }
        return Int(index)
    }
}

extension PluginError {
    /// As an error of a page with one record: less than that cannot be asked for.
    func ofOne(_ model: String) -> PluginError {
        PluginError(
            .permanent, "\(message), though only one \(model) was asked for", hint: hint)
    }

    /// Pages that lead back to where they were: that model cannot be pulled, others can.
    static func circle(of model: String, at host: String) -> PluginError {
        PluginError(
            .permanent,
            "\(host) gives pages of \(model) that lead back to where they were: they would have no end",
            hint: "it is a fault of the API: tell whoever runs it; "
                + "then pull it anew: satchel sync --full")
    }

    /// Why a page did not come.
    ///
    /// One that fails within the API stops its own model alone: the others are pulled, and this one is
    /// asked for by the next sync.
    static func page(_ fault: GraphQLFault, of model: String, host: String) -> PluginError {
        var error = PluginError(fault, doing: "read \(model)", host: host)
        if fault.kind == .failure { error.kind = .permanent }
        return error
    }

    /// What a fault means for a whole request that only reads.
    package init(_ fault: GraphQLFault, doing what: String, host: String) {
        let words = "\(host) does not let us \(what): \(fault.message)"
        switch fault.kind {
        case .auth: self.init(.auth, words, hint: "satchel auth login")
        case .throttled: self.init(.rateLimited(afterMilliseconds: 1_000), words)
        case .failure, .conflict, .condition: self.init(.retryable, words)
        case .tooLarge: self.init(.tooLarge, words)
        case .badToken: self.init(.cursorExpired, words)
        case .permission:
            self.init(.permanent, words, hint: "log in as somebody who may: satchel auth login")
        case .invalid:
            self.init(
                .permanent, words,
                hint: "the schemas differ; compare: satchel schema pull --dry-run")
        case .disabled, .unreadable, .other: self.init(.permanent, words)
        }
    }
}
