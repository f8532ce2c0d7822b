import JSON
import PluginKit
import Records
import ServerHarness
import Testing
import satchel_backend_graphql

@Suite(.serialized, .timeLimit(.minutes(15))) struct `The schema of an API` {
    private func pulled(_ detection: String) throws -> Schema {
        let api = try AppSync("--conflict-detection", detection)
        let empty = try AppSync(api.server, schema: Schema())
        guard case .models(let description) = try empty.backend.schema(empty.call) else {
            Issue.record("no models")
            return Schema()
        }
        return try Schema(protocolJSON: .object(description))
    }

    @Test(arguments: ["on", "off"]) func `is the one it was made from`(_ detection: String) throws {
        let found = try pulled(detection)
        let wanted = Schema.fixture
        #expect(Set(found.models.map(\.name)) == Set(wanted.models.map(\.name)))
        for model in wanted.models {
            let other = try #require(found.model(model.name))
            #expect(other.key == model.key)
            // Amplify adds these, and spells the keys of join models by its own settings.
            let added: Set = ["createdAt", "updatedAt", "owner"]
            let theirs = Set(other.fields.map { $0.name.lowercased() })
            #expect(
                theirs.subtracting(added.map { $0.lowercased() })
                    == Set(model.fields.map { $0.name.lowercased() }), "\(model.name)")
            #expect(other.field("createdAt")?.isReadOnly == true)
            if model.name == "PostTags" { continue }
            for field in model.fields {
                let same = try #require(other.field(field.name))
                #expect(same.type == field.type, "\(model.name).\(field.name)")
                #expect(same.isList == field.isList, "\(model.name).\(field.name)")
                #expect(same.isReadOnly == field.isReadOnly, "\(model.name).\(field.name)")
            }
        }
        #expect(Set(found.enums.map(\.name)) == ["PostStatus", "Mood"])
        #expect(found.nestedType("Position")?.fields.count == 2)
    }

    @Test func `has the relations that its foreign keys tell`() throws {
        let found = try pulled("on")
        let table: [(String, String, Relation.Kind, [String])] = [
            ("Comment", "post", .belongsTo, ["postCommentsId"]),
            ("Post", "blog", .belongsTo, ["blogID"]),
            ("Post", "comments", .hasMany, ["id"]), ("Blog", "posts", .hasMany, ["id"]),
            ("Post", "tags", .hasMany, ["id"]),
        ]
        for (model, name, kind, fields) in table {
            let relation = try #require(found.model(model)?.relation(name), "\(model).\(name)")
            #expect(relation.kind == kind)
            #expect(relation.fields == fields)
        }
    }

    @Test func `says what to do where it is not told`() throws {
        let api = try AppSync()
        try api.server.fault("partial", ["paths": [["__schema"]], "operation": "Satchel*"])
        let error = failure { _ = try AppSync(api.server) }
        #expect(error?.message.contains("does not tell its schema") == true)
    }
}
