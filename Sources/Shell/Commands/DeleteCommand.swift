internal import JSON
internal import Outbox
internal import Platform
internal import Records
internal import Storage

extension Session {
    func delete(_ request: DeleteRequest) throws(ShellError) -> ExitCode {
        let open = try workspace()
        let model = try open.model(request.model)
        let hook = try hook("before_delete", open)
        let ids = try affected(request.target, model, open)
        let plan = try self.plan(ids, model, request, open)
        if case .keys = request.target {
            let planned = Set(plan.entries.map(\.key))
            try refuseMissing(
                ids.filter { !planned.contains(RecordKey(model.name, $0)) }, model)
        } else if plan.entries.isEmpty {
            return try tellCount("deleted", 0, model)
        }
        if options.isDryRun {
            if let hook { _ = try approve(plan, by: hook, open) }
            try writePlan(plan)
            return .done
        }
        if isBulk(request.target, plan) {
            var action = "delete \(Quantity.count(plan.asked, "\(model.name) record"))"
            if plan.cascaded > 0 { action += " and \(plan.cascadeText)" }
            try consent(to: action, ids, model, open)
        }
        let group = identifiers.next()
        let deleted: Int
        if let hook {
            deleted = try settled(open) { () throws(ShellError) in
                let states = try approve(plan, by: hook, open)
                let count = try delete(
                    plan, states, of: ids, model, cascade: request.cascades, group, open)
                if count == nil, try self.plan(ids, model, request, open) != plan {
                    // What came meanwhile nobody consented to.
                    throw ShellError(
                        .busy, "what would be deleted changed while the hook was asked",
                        hint: "look again, and try again")
                }
                return count
            }
        } else {
            deleted = try stored { () throws(StoreError) in
                try open.store.write { () throws(StoreError) in
                    try open.outbox.delete(plan, group: group)
                }
            }
        }
        if case .keys = request.target {
            try tellDeleted(ids, plan, model)
        } else {
            _ = try tellCount("deleted", deleted, model)
        }
        tellOffline(open)
        return try deliver(group, request.delivers, open)
    }

    private func plan(
        _ ids: [RecordID], _ model: Model, _ request: DeleteRequest, _ open: OpenWorkspace
    ) throws(ShellError) -> DeletePlan {
        try stored { () throws(StoreError) in
            try open.outbox.plan(deleting: ids, of: model, cascade: request.cascades)
        }
    }

    private func isBulk(_ target: Target, _ plan: DeletePlan) -> Bool {
        if case .filter = target { return true }
        return plan.entries.count > 1
    }

    private func tellDeleted(_ ids: [RecordID], _ plan: DeletePlan, _ model: Model)
        throws(ShellError)
    {
        if isJSON { return try writeNumber("deleted", plan.entries.count) }
        let isFriendly = try format() == .table && console.terminal.outputIsTerminal
        try written { () throws(SystemError) in
            for id in ids {
                let shown = Sanitizer.show(id.text)
                try output.write(isFriendly ? "deleted \(model.name) \(shown)\n" : "\(shown)\n")
            }
        }
        if plan.cascaded > 0 { console.note("with it went \(plan.cascadeText)") }
    }

    private func writePlan(_ plan: DeletePlan) throws(ShellError) {
        let listing = try listing()
        try listing.write(plan.entries.map(PlannedDelete.init), to: output)
        console.note("nothing was done")
    }
}

extension DeletePlan {
    /// Such as "3 Comment, 1 Like", what goes along.
    fileprivate var cascadeText: String {
        var counts: [(String, Int)] = []
        for entry in entries where entry.parent != nil {
            if let index = counts.firstIndex(where: { $0.0 == entry.key.model }) {
                counts[index].1 += 1
            } else {
                counts.append((entry.key.model, 1))
            }
        }
        return counts.map { Quantity.count($0.1, "\($0.0) record") }.joined(separator: ", ")
    }
}

/// A line of the preview of a delete.
private struct PlannedDelete: Listed {
    let entry: DeletePlan.Entry

    init(_ entry: DeletePlan.Entry) { self.entry = entry }

    static let keys = ["model", "id", "because"]
    static var columns: [Column] { Column.values("model", "id", "because") }

    var values: [JSONValue] {
        [
            .string(entry.key.model), .string(entry.key.id.text),
            entry.parent.map { .string("\($0.model) \($0.id.text)") } ?? .null,
        ]
    }
    var cells: [JSONValue] { values }
    var handle: JSONValue { .string(entry.key.id.text) }
}
