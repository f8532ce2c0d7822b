import Shell
import Testing

@Suite struct `Completing within a line` {
    /// What readline would put in the place of the text that begins at `start`.
    func replacements(
        _ line: String, start: Int, typed: String, _ values: String...
    ) -> [String] {
        let completions = Completions(values.map { Candidate($0) })
        return LineCompletion(completions, before: Array(line.utf8))
            .replacements(from: start, typed: typed)
    }

    @Test func `knows the words before the cursor and the part of the current one`() {
        let context = LineCompletion.context(Array(#"create 'Po st' title="a b"#.utf8))
        #expect(context.words == ["create", "Po st"])
        #expect(context.current == "title=a b")
        #expect(LineCompletion.context(Array("list ".utf8)).current == "")
        #expect(LineCompletion.context(Array(#"get Tag red\"#.utf8)).current == "red")
    }

    @Test func `escapes what needs it`() {
        #expect(replacements("get Tag re", start: 8, typed: "re", "red wine") == [#"red\ wine"#])
        #expect(replacements("get Tag i", start: 8, typed: "i", "it's") == [#"it\'s"#])
        #expect(replacements("get Tag #", start: 8, typed: "#", "#1") == ["\\#1"])
    }

    @Test func `keeps to the quotes that are open`() {
        #expect(replacements("get Tag 're", start: 9, typed: "re", "red wine") == ["red wine"])
        #expect(replacements("get Tag 'i", start: 9, typed: "i", "it's") == [])
        #expect(replacements("get Tag \"i", start: 9, typed: "i", #"it"s"#) == [#"it\"s"#])
        let inner = replacements(#"create Post title="a b"#, start: 19, typed: "a b", "title=a b c")
        #expect(inner == ["a b c"])
    }

    @Test func `keeps what was typed when matches share less`() {
        #expect(LineCompletion.common(["0190aa", "0190bb"], typed: "hel") == "hel")
        #expect(LineCompletion.common(["0190aa", "0190bb"], typed: "0") == "0190")
    }
}
