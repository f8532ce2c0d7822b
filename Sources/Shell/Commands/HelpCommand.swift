internal import Platform

extension Session {
    /// Shows how to use a command, or which there are; on a terminal through the pager.
    func help(_ topic: [String]) throws(ShellError) {
        let width = console.terminal.outputIsTerminal ? console.terminal.size.columns : 80
        let text = try HelpPage.text(topic, style: console.outputStyle, width: width)
        let paged = PagedOutput(
            console.output, terminal: console.terminal, environment: environment)
        let sink: any ByteSink = paged ?? output
        do throws(ShellError) {
            try written { () throws(SystemError) in
                try sink.write(text)
                try paged?.finish()
            }
        } catch {
            if let paged, paged.wasLeft { return }
            throw error
        }
    }
}
