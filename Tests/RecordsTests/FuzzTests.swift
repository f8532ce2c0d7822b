import JSON
import Records
import Testing

@Suite struct `Odd input` {
    static let pieces = [
        "rating", "title", "author", ".", "name", "=", ":=", "+=", "-=", ">", "<", "!", "~", "(",
        ")",
        ",", "\"", "'", "\\", "\\u00", "and", "or", "not", "in", "is", "null", "between", "has",
        " ",
        "é", "e\u{301}", "\u{1F600}", "\u{0}", "1", "-", "0.5", "1e9", "[", "]", "{", "}", ":", "T",
        "Z", "2026-11-30", "02:04", "+01:00", "@", "/", "_state", "_version", "comments", "count",
        "true", "\n", "a", "::", "%", "startswith",
    ]

    static func text(_ random: inout SeededRandom) -> String {
        (0..<random.below(9)).map { _ in
            random.pick(pieces) + (random.below(3) == 0 ? " " : "")
        }.joined()
    }

    @Test(arguments: 0..<50) func `is refused or understood, and never stops the program`(seed: Int)
    {
        var random = SeededRandom(seed)
        for _ in 0..<400 {
            let text = Self.text(&random)
            do throws(RecordsError) {
                let filter = try Filter.parse(text, model: Sample.post, schema: Sample.schema)
                let again = try Filter.parse(
                    filter.text ?? "", model: Sample.post, schema: Sample.schema)
                #expect(again == filter, "\(text)")
            } catch {
                #expect(error.message.hasPrefix("filter, column "), "\(text): \(error)")
            }
            do throws(RecordsError) {
                let item = try Item.parse(text)
                _ = try [item].changes(to: Sample.post, current: JSONObject(), in: Sample.schema)
            } catch {
                #expect(!error.message.isEmpty)
            }
        }
    }

    @Test(arguments: 0..<50) func `that a field takes is stored as it is checked`(seed: Int) {
        var random = SeededRandom(seed)
        for _ in 0..<200 {
            let text = Self.text(&random)
            for field in Sample.post.fields {
                do throws(RecordsError) {
                    let value = try field.coerce(text: text, in: Sample.schema)
                    #expect(try field.validate(value, in: Sample.schema) == value)
                    #expect(field.accepts(remote: value, in: Sample.schema))
                    #expect(!value.isNull)
                } catch {
                    #expect(error.message.hasPrefix(field.name), "\(error)")
                }
            }
        }
    }

    @Test func `of a secret field is not repeated`() {
        let field = Field("pin", .scalar(.int), isRequired: true, isSecret: true)
        let link = Field("link", .scalar(.url), isSecret: true)
        let schema = Schema()
        func check(_ error: RecordsError?) {
            #expect(error?.message.contains("hunter2") == false)
            #expect(error?.hint?.contains("hunter2") != true)
        }
        check(#expect(throws: RecordsError.self) { try field.coerce(text: "hunter2", in: schema) })
        check(#expect(throws: RecordsError.self) { try field.validate("hunter2", in: schema) })
        check(#expect(throws: RecordsError.self) { try link.coerce(text: "hunter2", in: schema) })
        check(#expect(throws: RecordsError.self) { try link.validate("hunter2", in: schema) })
    }
}
