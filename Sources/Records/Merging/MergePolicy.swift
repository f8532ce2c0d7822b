/// What decides when both sides changed a field.
package enum MergePolicy: Sendable, Equatable {
    /// A person does; the record is parked.
    case manual
    /// The backend's value wins.
    case server
    /// The value set here wins.
    case local
    /// The greater value wins; null is less than any.
    case max
    /// The lesser value wins; a value wins over null.
    case min
    /// Lists keep what either side added, without what either removed.
    case union
    /// The difference made here is added to the backend's number.
    case counter
    /// A program does: the command line.
    case command(String)

    /// Whether the order of two values decides.
    fileprivate var orders: Bool { self == .max || self == .min }

    /// Reads a policy as `satchel.json` spells it: a name, or `command:PROGRAM`.
    package static func parse(_ text: String) throws(RecordsError) -> MergePolicy {
        switch text {
        case "manual": return .manual
        case "server": return .server
        case "local": return .local
        case "max": return .max
        case "min": return .min
        case "union": return .union
        case "counter": return .counter
        default: break
        }
        let prefix = "command:"
        if text.hasPrefix(prefix) {
            let program = text.dropFirst(prefix.utf8.count).drop { $0 == " " }
            if !program.isEmpty { return .command(String(program)) }
        }
        let names = ["manual", "server", "local", "max", "min", "union", "counter"]
        let meant = didYouMean(text, among: names)
        throw RecordsError(
            .unknown, "no conflict policy \(quoted(text))",
            hint: meant.map { "did you mean \($0)?" }
                ?? "policies are \(names.joined(separator: ", ")), command:PROGRAM")
    }
}

/// The policies of a model: one for all, and exceptions by field.
package struct MergePolicies: Sendable, Equatable {
    package var model: MergePolicy
    package var fields: [String: MergePolicy]
    /// Of the fields whose texts are dates or times, which they are: these order as instants.
    var instants: [String: Scalar] = [:]

    package init(model: MergePolicy = .manual, fields: [String: MergePolicy] = [:]) {
        self.model = model
        self.fields = fields
    }

    package func policy(of field: String) -> MergePolicy {
        fields.isEmpty ? model : fields[field] ?? model
    }

    /// These policies with what they need to know of a model's fields.
    package func ordering(_ model: Model) -> MergePolicies {
        var known = self
        for field in model.fields where field.isInstant && policy(of: field.name).orders {
            if case .scalar(let scalar) = field.type { known.instants[field.name] = scalar }
        }
        return known
    }
}
