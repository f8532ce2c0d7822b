import JSON
import Records
import Testing

@testable import satchel_backend_folder

@Suite struct `The rules of a folder` {
    struct Trial: CustomTestStringConvertible {
        var rule: JSONValue
        var value: JSONValue
        /// Nil when the value is good.
        var message: String?
        var testDescription: String { "\(rule.serialized()) on \(value.serialized())" }
    }

    static let table: [Trial] = [
        Trial(rule: ["max_length": 3], value: "abc"),
        Trial(rule: ["max_length": 3], value: "éèà"),
        Trial(
            rule: ["max_length": 3], value: "abcd",
            message: "title has a length of 4, at most 3 is allowed"),
        Trial(
            rule: ["min_length": 2], value: ["a"],
            message: "title has a length of 1, at least 2 is asked for"),
        Trial(rule: ["required": true], value: nil, message: "title is required"),
        Trial(rule: ["required": true], value: ""),
        Trial(rule: ["max_length": 3], value: nil),
        Trial(rule: ["min": 1, "max": 5], value: 5),
        Trial(rule: ["min": 1, "max": 5], value: 6, message: "title is 6, at most 5 is allowed"),
        Trial(
            rule: ["min": .double(0.5)], value: .double(0.25),
            message: "title is 0.25, at least 0.5 is asked for"),
        Trial(rule: ["pattern": "^[a-z]+$"], value: "abc"),
        Trial(
            rule: ["pattern": #"^\d{4}$"#], value: "12345",
            message: #"title does not match the pattern ^\d{4}$"#),
        Trial(rule: ["pattern": "b"], value: "abc"),
        Trial(rule: ["enum": ["A", "B"]], value: "B"),
        Trial(
            rule: ["enum": ["A", "B"]], value: "C",
            message: "title is \"C\", which is none of \"A\", \"B\""),
    ]

    @Test(arguments: table) func `name the field and what is wrong`(_ trial: Trial) throws {
        let json: JSONValue = ["Post": ["title": trial.rule]]
        let rules = try Rules(json.bytes())
        let breach = rules.breach(
            of: JSONObject([("title", trial.value)]), changed: nil, in: "Post")
        #expect(breach?.message == trial.message)
        #expect(breach?.field == (trial.message == nil ? nil : "title"))
        #expect(rules.breach(of: JSONObject(), changed: nil, in: "Blog") == nil)
    }

    @Test func `hold an update to the fields it changes`() throws {
        let rules = try Rules(Array(#"{"Post":{"title":{"required":true}}}"#.utf8))
        #expect(rules.breach(of: JSONObject(), changed: ["rating"], in: "Post") == nil)
        #expect(rules.breach(of: JSONObject(), changed: ["title"], in: "Post")?.field == "title")
    }

    @Test func `hold each writer to what their own models require`() throws {
        let rules = Rules().requiring(
            try Schema.parse("type Post @model { title: String! rating: Int }"))
        let empty = JSONObject([("id", "1"), ("title", nil)])
        #expect(rules.breach(of: empty, changed: nil, in: "Post")?.field == "title")
        #expect(rules.breach(of: empty, changed: ["title"], in: "Post")?.field == "title")
        #expect(rules.breach(of: empty, changed: ["rating"], in: "Post") == nil)
        #expect(rules.breach(of: JSONObject(), changed: nil, in: "Post")?.field == "id")
        #expect(rules.breach(of: JSONObject(), changed: nil, in: "Other") == nil)
    }

    @Test func `close a model`() throws {
        let rules = try Rules(
            Array(#"{"Post":{"_read_only":true},"Tag":{"_read_only":false}}"#.utf8))
        #expect(rules.breach(deletingIn: "Post")?.message == "Post is read-only in this folder")
        #expect(rules.breach(of: JSONObject(), changed: [], in: "Post")?.field == nil)
        #expect(rules.breach(deletingIn: "Tag") == nil)
    }

    @Test(arguments: [
        "{", "[]", #"{"Post":1}"#, #"{"Post":{"title":7}}"#, #"{"Post":{"title":{"max_len":7}}}"#,
        #"{"Post":{"title":{"pattern":"("}}}"#, #"{"Post":{"_read_only":"yes"}}"#,
    ]) func `are refused when they cannot be followed`(_ text: String) {
        #expect(throws: Rules.Broken.self) { try Rules(Array(text.utf8)) }
    }
}
