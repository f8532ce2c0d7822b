package import JSON
package import Records

/// What the folder's owner lets be written: `rules.json`.
package struct Rules {
    /// Why an operation is refused.
    package struct Breach: Equatable, Sendable {
        /// Nil when the whole model is meant.
        package var field: String?
        package var message: String
    }

    /// Why `rules.json` cannot be followed.
    package struct Broken: Error, Equatable, Sendable {
        package var message: String
    }

    private var models: [String: ModelRules] = [:]
    /// The fields that whoever writes says must not be empty, by model.
    private var required: [String: [String]] = [:]

    private struct ModelRules {
        var isReadOnly = false
        var fields: [(name: String, rule: FieldRule)] = []
    }

    /// A folder without rules.
    package init() {}

    /// Reads the file's content.
    package init(_ bytes: [UInt8]) throws(Broken) {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue.parse(bytes)
        } catch {
            throw Broken(message: error.message)
        }
        guard let members = value.members else { throw Broken(message: "it is no object") }
        for (model, rules) in members.pairs {
            guard let rules = rules.members else {
                throw Broken(message: "the rules of \(model) are no object")
            }
            models[model] = try Self.read(rules, of: model)
        }
    }

    private static func read(_ rules: JSONObject, of model: String) throws(Broken) -> ModelRules {
        var result = ModelRules()
        for (name, rule) in rules.pairs {
            if name == "_read_only" {
                guard let flag = rule.boolean else {
                    throw Broken(message: "\(model)._read_only is neither true nor false")
                }
                result.isReadOnly = flag
            } else {
                result.fields.append((name, try FieldRule(rule, of: "\(model).\(name)")))
            }
        }
        return result
    }

    /// The same for somebody with these models: what is required there is never taken without.
    ///
    /// A folder knows no models of its own. Each writer is held to theirs.
    package func requiring(_ schema: Schema) -> Rules {
        var rules = self
        for model in schema.models {
            let names = model.fields.filter { $0.isRequired && !$0.isReadOnly }.map(\.name)
            if !names.isEmpty { rules.required[model.name] = names }
        }
        return rules
    }

    /// The first rule that a write of `record` would break.
    ///
    /// - Parameters:
    ///   - record: The whole record as it would be stored.
    ///   - changed: The fields an update touches: it does not answer for the others. Nil for all.
    ///   - model: The record's model.
    /// - Returns: Nil when the record keeps all rules.
    package func breach(of record: JSONObject, changed: [String]?, in model: String) -> Breach? {
        if let name = missing(in: record, changed, model) {
            return Breach(field: name, message: "\(name) is required")
        }
        guard let rules = models[model] else { return nil }
        if rules.isReadOnly { return .readOnly(model) }
        for (name, rule) in rules.fields {
            if let changed, !changed.contains(where: { $0.sameBytes(as: name) }) { continue }
            if let message = rule.complaint(about: record[name] ?? .null, named: name) {
                return Breach(field: name, message: message)
            }
        }
        return nil
    }

    /// The first required field that is empty.
    private func missing(
        in record: JSONObject, _ changed: [String]?, _ model: String
    ) -> String? {
        guard let required = required[model] else { return nil }
        guard let changed else { return required.first { record[$0]?.isNull ?? true } }
        return changed.first { name in
            (record[name]?.isNull ?? true) && required.contains { $0.sameBytes(as: name) }
        }
    }

    package func breach(deletingIn model: String) -> Breach? {
        models[model]?.isReadOnly == true ? .readOnly(model) : nil
    }
}

extension Rules.Breach {
    fileprivate static func readOnly(_ model: String) -> Rules.Breach {
        Rules.Breach(field: nil, message: "\(model) is read-only in this folder")
    }
}
