import JSON
import Testing

@Suite struct `Changing a JSON5 document` {
    struct Change: CustomTestStringConvertible {
        var what: String
        var before: String
        var path: [String]
        /// Nil removes the member.
        var value: JSONValue?
        var after: String
        var testDescription: String { what }
    }

    static let changes: [Change] = [
        Change(
            what: "a value is replaced and everything around it stays",
            before: "// top\n{\n  a: 1, // one\n  'b' : 2 ,\n}\n// end\n", path: ["b"], value: "x",
            after: "// top\n{\n  a: 1, // one\n  'b' : \"x\" ,\n}\n// end\n"),
        Change(
            what: "a member is added below the last, with its comma",
            before: "{\n  a: 1, // one\n  // last words\n}\n", path: ["b"], value: 2,
            after: "{\n  a: 1, // one\n  b: 2,\n  // last words\n}\n"),
        Change(
            what: "a comma is put before the remark",
            before: "{\n  \"a\": 1 // one\n}\n", path: ["b"], value: 2,
            after: "{\n  \"a\": 1, // one\n  \"b\": 2\n}\n"),
        Change(
            what: "a remark with a dash in it stays on its line",
            before: "{\n  a: 1 // one \u{2014} two\n}", path: ["b"], value: 2,
            after: "{\n  a: 1, // one \u{2014} two\n  b: 2\n}"),
        Change(
            what: "an object on one line stays on one line", before: "{ a: 1 }", path: ["b-c"],
            value: true, after: "{ a: 1, \"b-c\": true }"),
        Change(
            what: "a trailing comma on one line is kept", before: "{a: 1,}", path: ["b"], value: 2,
            after: "{a: 1, b: 2,}"),
        Change(
            what: "an empty object is opened", before: "{}\n", path: ["a"], value: 1,
            after: "{\n  \"a\": 1\n}\n"),
        Change(
            what: "a remark in an empty object stays", before: "{\n  // none yet \n}\n",
            path: ["a"], value: 1, after: "{\n  // none yet \n  \"a\": 1\n}\n"),
        Change(
            what: "objects on the way are made", before: "{\n    a: 1,\n}\n",
            path: ["contexts", "work", "backend"], value: "folder",
            after:
                "{\n    a: 1,\n    contexts: {\n        \"work\": {\n            \"backend\": \"folder\"\n        }\n    },\n}\n"
        ),
        Change(
            what: "a nested object is laid out like its siblings",
            before: "{\n\ta: {\n\t\tx: 1\n\t}\n}", path: ["a", "y"], value: ["z": [1]],
            after:
                "{\n\ta: {\n\t\tx: 1,\n\t\ty: {\n\t\t\t\"z\": [\n\t\t\t\t1\n\t\t\t]\n\t\t}\n\t}\n}"),
        Change(
            what: "line ends of Windows are kept", before: "{\r\n  a: 1\r\n}\r\n", path: ["b"],
            value: 2, after: "{\r\n  a: 1,\r\n  b: 2\r\n}\r\n"),
        Change(
            what: "a member goes with its line and its remark",
            before: "{\n  // about a\n  a: 1, // one\n  b: 2,\n}\n", path: ["a"],
            after: "{\n  // about a\n  b: 2,\n}\n"),
        Change(
            what: "the last member takes the comma before it along",
            before: "{\n  \"a\": 1, // one\n  \"b\": 2\n}\n", path: ["b"],
            after: "{\n  \"a\": 1 // one\n}\n"),
        Change(
            what: "a member on a shared line goes alone", before: "{ a: 1, b: 2, c: 3 }",
            path: ["b"], after: "{ a: 1, c: 3 }"),
        Change(
            what: "the last on a shared line goes alone", before: "{ a: 1, b: 2 }", path: ["b"],
            after: "{ a: 1 }"),
        Change(
            what: "a member of many lines goes whole",
            before: "{\n  a: {\n    x: 1, // x\n  },\n  b: 2,\n}", path: ["a"],
            after: "{\n  b: 2,\n}"),
        Change(
            what: "nothing changes when there is nothing to remove", before: "{ a: 1 /* x */ }",
            path: ["b", "c"], after: "{ a: 1 /* x */ }"),
        Change(
            what: "the whole text can be replaced", before: "/* a */ 1 // b", path: [], value: [2],
            after: "/* a */ [\n  2\n] // b"),
    ]

    @Test(arguments: changes) func `touches only what it must`(_ change: Change) throws {
        let document = try JSON5Document(change.before)
        let after =
            if let value = change.value {
                try document.setting(change.path, to: value)
            } else {
                document.removing(change.path)
            }
        #expect(after == change.after)
    }

    @Test func `refuses to put a member into something else than an object`() throws {
        let document = try JSON5Document("{a: [1]}")
        #expect(throws: JSONError(.notAnObject, "\"a\" is not an object")) {
            try document.setting(["a", "b"], to: 1)
        }
        #expect(throws: JSONError(.notAnObject, "the whole text is not an object")) {
            try JSON5Document("[]").setting(["a"], to: 1)
        }
    }

    @Test(arguments: 0..<400 as Range<UInt64>)
    func `changes the value as asked and loses no comment`(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var text = try document(random: &random)
        for round in 0..<6 {
            let document = try JSON5Document(text)
            let path = (0..<Int.random(in: 1...2, using: &random)).map { _ in
                ["a", "b", "c", "d e", "f"].randomElement(using: &random) ?? ""
            }
            var expected = document.value
            if Bool.random(using: &random) {
                let value = JSONValue.random(depth: 2, using: &random)
                guard expected.set(path, value) else { continue }
                text = try document.setting(path, to: value)
            } else {
                expected.remove(path)
                text = document.removing(path)
            }
            let value = try JSONValue.parseJSON5(text)
            #expect(value == expected, "seed \(seed), round \(round): \(text)")
        }
        // The comment ahead of everything and the one behind are nobody's remark.
        #expect(text.hasPrefix("// first\n"))
        #expect(text.hasSuffix("/* last */"))
    }

    private func document(random: inout SeededRandom) throws -> String {
        func space() -> String {
            ["", " ", "\n", "\n  ", " // x\n  ", " /* y */ ", " /* z\n */", "\r\n", "\t"]
                .randomElement(using: &random) ?? ""
        }
        func object(_ depth: Int) -> String {
            var text = "{" + space()
            let names = ["a", "b", "c", "'d e'", "\"f\""].filter { _ in Bool.random(using: &random)
            }
            for (index, name) in names.enumerated() {
                let value =
                    depth > 0 && Bool.random(using: &random)
                    ? object(depth - 1)
                    : ["1", "'x'", "[1, 2,]"].randomElement(using: &random) ?? ""
                text += name + space() + ":" + space() + value + space()
                if index < names.count - 1 || Bool.random(using: &random) { text += "," + space() }
            }
            return text + "}"
        }
        return "// first\n" + object(2) + space() + "/* last */"
    }
}

extension JSONValue {
    /// False when something on the way is no object.
    fileprivate mutating func set(_ path: [String], _ value: JSONValue) -> Bool {
        guard let key = path.first else {
            self = value
            return true
        }
        guard var object = members else { return false }
        var inner = object[key] ?? (path.count > 1 ? .object(JSONObject()) : .null)
        guard inner.set(Array(path.dropFirst()), value) else { return false }
        object[key] = inner
        self = .object(object)
        return true
    }

    fileprivate mutating func remove(_ path: [String]) {
        guard let key = path.first, var object = members, var inner = object[key] else { return }
        inner.remove(Array(path.dropFirst()))
        if path.count == 1 { object[key] = nil } else { object[key] = inner }
        self = .object(object)
    }
}
