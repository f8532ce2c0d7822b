internal import JSON
internal import Records
internal import Sync

// The checks of level write about what becomes of single values.

extension ConformanceBench {
    /// A value for a field.
    private typealias Wanted = (field: Field, value: JSONValue)

    func everyTypeIsKept() throws(Shortfall) {
        let refused = try keep(.usual, creating: true) + keep(.odd)
        if !refused.isEmpty { remarks.append("not taken: " + refused.joined(separator: ", ")) }
    }

    func emptyIsKept() throws(Shortfall) { _ = try keep(.empty, creating: true) + keep(.empty) }

    func typesStay() throws(Shortfall) { _ = try keep(.deceptive) }

    func largeIsKept() throws(Shortfall) { _ = try keep(.large) + keep(.huge) }

    func listsKeepTheirOrder() throws(Shortfall) {
        let sample = try writable()
        guard !sample.values(.ordered).isEmpty else { throw .skipped("\(model) has no lists") }
        _ = try keep(.ordered)
    }

    func nullClears() throws(Shortfall) {
        let sample = try writable()
        let optional = sample.values(.usual).filter { !$0.field.isRequired }
        var record = try make(1)[0]
        var words = record.record[sample.field.name]
        var cleared = 0
        for wanted in optional {
            let name = wanted.field.name
            guard let set = try write([wanted], to: record) else { continue }
            record = set
            if name == sample.field.name { words = wanted.value }
            guard let empty = try write([(wanted.field, .null)], to: set) else { continue }
            cleared += 1
            // What was not named stays, and what was cleared can be set again.
            guard let again = try write([wanted], to: empty) else {
                throw .failed("\(name) was taken, was cleared, and now is not taken any more")
            }
            record = again
            guard try pull().states[record.id]?.record?[sample.field.name] == words else {
                throw .failed(
                    "an update that names only \(name) changed \(sample.field.name) as well")
            }
        }
        if cleared == 0 { throw .skipped("\(model) has no field that it lets be cleared") }
    }

    func requiredIsNeverNull() throws(Shortfall) {
        let sample = try writable()
        let required = sample.fields.filter(\.isRequired)
        guard !required.isEmpty else {
            throw .skipped("\(model) requires no field besides its key")
        }
        for field in required {
            let old = try make(1)[0]
            var record = sample.record(SampleModel.id(), "incomplete")
            record[field.name] = nil
            let change = update(old, JSONObject([(field.name, .null)]))
            for (operation, what) in [(change, "set to null"), (try create(record), "left out")] {
                let verdict = try push(one: operation)
                guard verdict.outcome == "ok" else { continue }
                let id = verdict.members["id"]?.text ?? operation.id
                let stored = try pull().states[id]?.record?[field.name]
                guard stored?.unlessNull != nil else {
                    throw .failed(
                        "\(field.name) is required, and a record is taken with it \(what): "
                            + "reject that, with \"field\":\"\(field.name)\"")
                }
            }
        }
    }
}

extension ConformanceBench {
    /// Writes all values of a kind, and throws unless they are pulled as they were written.
    ///
    /// - Returns: The fields whose value was rejected: what a plugin cannot keep it may refuse.
    private func keep(
        _ kind: SampleValues, creating: Bool = false
    ) throws(Shortfall) -> [String] {
        let sample = try writable()
        let values = sample.values(kind)
        guard !values.isEmpty else { return [] }
        if creating {
            var record = sample.record(SampleModel.id(), "values of every type")
            for value in values { record[value.field.name] = value.value }
            let operation = try create(record)
            let verdict = try push(one: operation)
            if verdict.outcome != "rejected" {
                let made = try taken(verdict, operation, "a create")
                try compare(values, verdict, made)
                return []
            }
        }
        var record = try make(1)[0]
        if try write(values, to: record) != nil { return [] }
        var refused: [String] = []
        record = try make(1)[0]
        for value in values {
            if let changed = try write([value], to: record) {
                record = changed
            } else {
                refused.append(value.field.name)
            }
        }
        return refused
    }

    /// Sets fields; nil when the plugin rejects that.
    private func write(_ values: [Wanted], to old: Made) throws(Shortfall) -> Made? {
        let change = JSONObject(values.map { ($0.field.name, $0.value) })
        let operation = update(old, change)
        let verdict = try push(one: operation)
        if verdict.outcome == "rejected" { return nil }
        let made = try taken(verdict, operation, "an update")
        try compare(values, verdict, made)
        return made
    }

    /// What the verdict tells and what pull brings must both be what was asked for.
    private func compare(
        _ values: [Wanted], _ verdict: Verdict, _ made: Made
    ) throws(Shortfall) {
        let schema = try writable().schema
        guard let pulled = try pull().states[made.id]?.record else {
            throw .failed("a record that was taken is not pulled")
        }
        for (record, what) in [(pulled, "is pulled as"), (verdict.record, "is in the verdict")] {
            guard let record else { continue }
            for (field, value) in values
            where !field.agrees(value, record[field.name], in: schema) {
                let found = record[field.name].map(shown) ?? "nothing"
                throw .failed(
                    "\(field.name) was taken as \(shown(value)) and \(what) \(found); "
                        + "what cannot be kept is rejected")
            }
        }
    }
}
