internal import CReadline
internal import Glibc

/// The line being typed, edited by GNU readline through its callback interface.
///
/// readline is one for the process and knows no context, so there is one editor at a time, on one
/// thread; this file holds the only global state of the module.
final class LineEditor {
    /// What the keys amounted to.
    enum Input: Equatable {
        case line([UInt8])
        /// Ctrl-D on an empty line, or the terminal is gone.
        case end
    }

    /// Answers what may stand at the cursor, given what is before it.
    var complete: (_ before: [UInt8]) -> LineCompletion? = { _ in nil }
    private(set) var input: Input?
    private var prompt = ""
    private var isInstalled = false
    /// Help of the candidates readline is about to list.
    private var listed: [Candidate] = []

    nonisolated(unsafe) private static var current: LineEditor?

    init() {
        Self.makeCharactersUTF8()
        Self.configure()
        Self.current = self
    }

    deinit {
        remove()
        Self.current = nil
    }

    /// Fills the list that the up arrow goes through.
    func remember(_ commands: some Sequence<String>) {
        using_history()
        stifle_history(5000)
        for command in commands { add_history(command) }
    }

    /// Shows the prompt and takes the keys from now on.
    func install(prompt: String) {
        self.prompt = prompt
        input = nil
        isInstalled = true
        rl_callback_handler_install(prompt, { LineEditor.current?.accept($0) })
    }

    /// Gives the terminal back as it was.
    func remove() {
        guard isInstalled else { return }
        isInstalled = false
        rl_callback_handler_remove()
    }

    /// Takes the key that is there; afterwards `input` says whether a line is done.
    func readKey() { rl_callback_read_char() }

    /// Writes whole lines above the line being typed, and shows the prompt as it is now.
    func printAbove(_ text: String, prompt: String) {
        rl_clear_visible_line()
        var text = text
        text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                satchel_rl_print($0.baseAddress, $0.count)
            }
        }
        change(to: prompt)
        rl_on_new_line()
        rl_redisplay()
    }

    /// Shows another prompt before the line being typed.
    func show(prompt: String) {
        guard !prompt.utf8.elementsEqual(self.prompt.utf8), satchel_rl_is_searching() == 0 else {
            return
        }
        printAbove("", prompt: prompt)
    }

    private func change(to prompt: String) {
        // While the keys go to a search, the search owns the prompt.
        guard satchel_rl_is_searching() == 0 else { return }
        self.prompt = prompt
        rl_set_prompt(prompt)
    }

    /// Drops the line being typed, as Ctrl-C does, and begins a new one.
    func abandonLine(prompt: String) {
        satchel_rl_abandon_line()
        // Before the terminal is set back, which moves the cursor to the line's start.
        satchel_rl_print("^C\n", 3)
        remove()
        install(prompt: prompt)
    }

    /// Adapts to a new size of the terminal.
    func resize() { rl_resize_terminal() }

    /// Sets the terminal up again after the process was stopped and continued.
    func resume() {
        rl_deprep_terminal()
        rl_prep_terminal(1)
        rl_on_new_line()
        rl_forced_update_display()
    }

    private func accept(_ line: UnsafeMutablePointer<CChar>?) {
        guard let line else {
            input = .end
            remove()
            return
        }
        input = .line(Array(UnsafeRawBufferPointer(start: line, count: strlen(line))))
        free(line)
        // Before the command runs the terminal must be as other programs expect it.
        remove()
    }
}

extension LineEditor {
    /// Makes readline count characters, not bytes, whatever the environment says: under the C locale
    /// one backspace over an accented letter would leave half of it.
    private static func makeCharactersUTF8() {
        setlocale(LC_CTYPE, "")
        if strcmp(nl_langinfo(Int32(CODESET)), "UTF-8") == 0 { return }
        for name in ["C.UTF-8", "en_US.UTF-8"] where setlocale(LC_CTYPE, name) != nil { return }
    }

    private static func configure() {
        // readline keeps these pointers for the life of the process.
        satchel_rl_configure(
            strdup("satchel"), strdup(" \t\n"), strdup("'\""),
            { text, start, _ in LineEditor.current?.matches(text, start) },
            { line, index in LineEditor.isQuoted(line, index) },
            { matches, count, width in LineEditor.current?.list(matches, count, width) })
    }

    private static func isQuoted(_ line: UnsafeMutablePointer<CChar>?, _ index: Int32) -> Int32 {
        guard let line else { return 0 }
        let bytes = UnsafeRawBufferPointer(start: line, count: Int(index))
        return LineCompletion.isInsideQuotes(bytes) ? 1 : 0
    }

    /// readline's list of matches: what they have in common, the matches, an end mark.
    private func matches(
        _ text: UnsafePointer<CChar>?, _ start: Int32
    ) -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? {
        satchel_rl_end_completion(1, 0)
        listed = []
        guard let line = satchel_rl_line(), let text else { return nil }
        let typed = String(cString: text)
        let before = Array(UnsafeRawBufferPointer(start: line, count: Int(satchel_rl_point())))
        guard let completion = complete(before) else { return nil }
        let matches = completion.replacements(from: Int(start), typed: typed)
        guard !matches.isEmpty else { return nil }
        listed = completion.candidates
        satchel_rl_end_completion(completion.goesOn ? 0 : 1, completion.goesOn ? 1 : 0)
        let words =
            matches.count == 1
            ? matches : [LineCompletion.common(matches, typed: typed)] + matches
        guard
            let list = malloc((words.count + 1) * MemoryLayout<UnsafeMutablePointer<CChar>?>.size)
        else { return nil }
        let entries = list.bindMemory(
            to: UnsafeMutablePointer<CChar>?.self, capacity: words.count + 1)
        for (index, word) in words.enumerated() { entries[index] = strdup(word) }
        entries[words.count] = nil
        return entries
    }

    /// Lists candidates with their help below the line.
    private func list(
        _ matches: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, _ count: Int32,
        _ width: Int32
    ) {
        if listed.contains(where: { !$0.help.isEmpty }) {
            rl_crlf()
            let text = LineCompletion.listing(listed)
            satchel_rl_print(text, text.utf8.count)
        } else {
            rl_display_match_list(matches, count, width)
        }
        rl_forced_update_display()
    }
}
