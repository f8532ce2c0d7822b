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
    /// - Throws: When there is no page, or one of its items failed in a way that may pass.
    package func end(of answer: GraphQLAnswer, root: String) throws(PluginError) -> End {
        guard let page = answer.value(at: [root]), let items = page["items"]?.elements else {
            throw error(answer.fault(of: root))
        }
        if let fault = answer.errors.first(where: { $0.kind == .throttled }) { throw error(fault) }
        // What is about no item of the page may have kept any number of them out of it.
        let stray = answer.errors.first { fault in
            Self.place(of: fault, root).map { !items.indices.contains($0) } ?? true
        }
        if let stray { throw error(stray) }
        // Taken for the last one, a page would have what follows it deleted.
        guard let next = page["nextToken"], next.isNull || next.text?.isEmpty == false else {
            throw PluginError(
                .permanent, "\(host) does not tell what follows a page of \(plan.model.name)",
                hint: "it is a fault of the API: nextToken is a text or null")
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
            if let place = place(of: fault, root) { faults[place, default: []].append(fault) }
        }
        return faults
    }

    /// The place of the item that an error is about; nil where it is about none.
    private static func place(of fault: GraphQLFault, _ root: String) -> Int? {
        guard fault.path.count > 2, fault.path[0] == .string(root), fault.path[1] == "items"
        else { return nil }
        return fault.path[2].integer.map(Int.init(clamping:))
    }

    /// Why a whole page failed.
    private func error(_ fault: GraphQLFault?) -> PluginError {
        guard let fault else {
            return PluginError(.permanent, "\(host) answered without a page of \(plan.model.name)")
        }
        return .page(fault, of: plan.model.name, host: host)
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
