import Shell
import Testing

@Suite struct `The prompt` {
    static let table: [(PromptState, String)] = [
        (PromptState(), "satchel> "),
        (PromptState(network: .online), "satchel ●> "),
        (PromptState(context: "blog", network: .online, queued: 3), "satchel blog ● 3↑> "),
        (PromptState(network: .offline, queued: 1, troubled: 2), "satchel ○ 1↑ 2!> "),
        (PromptState(context: "a\u{1b}b", network: .needsLogin), "satchel a␛b ⊘> "),
    ]

    @Test(arguments: table) func `tells how things stand`(_ state: PromptState, _ text: String) {
        #expect(state.text(colored: false) == text)
    }

    @Test func `marks colours as taking no column`() {
        let text = PromptState(network: .online).text(colored: true)
        #expect(text == "satchel \u{1}\u{1b}[32m\u{2}●\u{1}\u{1b}[0m\u{2}> ")
    }
}
