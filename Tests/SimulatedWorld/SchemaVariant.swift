import JSON
import Records
import Sync

/// A version of the schema that a client may be on.
///
/// The backend keeps its records in one form, that of `plain`, and speaks to each client in the
/// form of the client's schema, also to one that sends what it made under another.
struct SchemaVariant: Sendable {
    enum Name: String, CaseIterable, Sendable {
        case plain
        /// A field more, and one more that each record needs.
        case added, demanding
        /// A field less, or one model.
        case removed, without
        /// A field has another name, or another type.
        case renamed, typed
    }

    let name: Name
    let schema: Schema

    /// Tells the stores of one from those of another.
    var hash: String { "simulation-\(name)" }

    private static let parsed: Result<[Name: SchemaVariant], any Error> = Result {
        var found: [Name: SchemaVariant] = [:]
        for name in Name.allCases {
            found[name] = SchemaVariant(name: name, schema: try Schema.parse(sdl(name)))
        }
        return found
    }

    static func named(_ name: Name) throws -> SchemaVariant {
        guard let found = try parsed.get()[name] else {
            throw Violation(invariant: "scenario", detail: "there is no schema \(name)")
        }
        return found
    }

    private static func sdl(_ name: Name) -> String {
        let title = name == .renamed ? "heading" : "title"
        let former = name == .renamed ? "title" : "heading"
        let fields = [
            "\(title): String @renamed(from: \"\(former)\")",
            name == .removed ? "" : "body: String",
            name == .added ? "subtitle: String" : "",
            name == .demanding ? "subject: String!" : "",
            name == .without ? "" : "note: Note @hasOne(references: [\"postID\"])",
        ]
        let note = """
            type Note @model {
                id: ID!
                text: \(name == .typed ? "[String]" : "String")
                postID: ID
                post: Post @belongsTo(fields: ["postID"])
            }
            """
        return """
            type Post @model {
                id: ID!
                \(fields.joined(separator: "\n"))
                rating: Int
                views: Int
                tags: [String]
                stamp: Int
                comments: [Comment] @hasMany(references: ["postID"])
            }
            type Comment @model {
                id: ID!
                text: String
                postID: ID
                replyToID: ID
                post: Post @belongsTo(fields: ["postID"])
                replyTo: Comment @belongsTo(fields: ["replyToID"])
            }
            \(name == .without ? "" : note)
            """
    }
}

// The two forms
extension SchemaVariant {
    private static let unsaid = JSONValue.string("unsaid")

    /// The name and the value of a field as this schema has them.
    func local(_ field: String, _ value: JSONValue, _ model: String) -> (String, JSONValue) {
        if name == .renamed, model == "Post", field == "title" { return ("heading", value) }
        if name == .typed, model == "Note", field == "text", !value.isNull {
            return (field, .array([value]))
        }
        return (field, value)
    }

    /// Some fields of a record as this schema has them.
    func local(values: JSONObject, _ model: String) -> JSONObject {
        JSONObject(values.pairs.map { local($0.key, $0.value, model) })
    }

    /// A whole record as this schema has it.
    func local(record: JSONObject, _ model: String) -> JSONObject {
        var record = local(values: record, model)
        if name == .demanding, model == "Post", record["subject"]?.isNull ?? true {
            record["subject"] = Self.unsaid
        }
        return record
    }

    /// Fields as the backend has them, whatever schema they were written under.
    func plain(_ values: JSONObject, _ model: String) -> JSONObject {
        if model == "Comment" { return values }
        var values = values
        if model == "Note" {
            if case .array(let texts)? = values["text"], texts.count == 1 {
                values["text"] = texts[0]
            }
            return values
        }
        if let heading = values["heading"] {
            values["heading"] = nil
            if name == .renamed || values["title"] == nil { values["title"] = heading }
        }
        if values["subject"] == Self.unsaid { values["subject"] = nil }
        return values
    }

    /// True where a mutation can be sent under this schema.
    func fits(_ mutation: Mutation) -> Bool {
        guard let model = schema.model(mutation.model) else { return false }
        if mutation.kind == .delete { return true }
        for (field, value) in mutation.set.pairs where !value.isNull || mutation.kind == .update {
            guard let known = model.field(field) else { return false }
            if value.isNull { continue }
            if case .array = value {
                if !known.isList { return false }
            } else if known.isList {
                return false
            }
        }
        if mutation.kind == .update { return true }
        return model.fields.allSatisfy { !$0.isRequired || mutation.set[$0.name] != nil }
    }
}

extension PushOperation {
    /// As the backend understands it, of a client with that schema.
    func plain(_ variant: SchemaVariant) -> PushOperation {
        var operation = self
        operation.set = variant.plain(set, model)
        operation.record = record.map { variant.plain($0, model) }
        return operation
    }
}

extension RemoteRecord {
    func local(_ variant: SchemaVariant, _ model: String) -> RemoteRecord {
        RemoteRecord(
            id: id, version: version, record: record.map { variant.local(record: $0, model) })
    }
}
