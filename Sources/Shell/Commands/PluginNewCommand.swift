internal import Platform
internal import Plugins

extension Session {
    /// Writes a backend that works, for its author to change.
    func newPlugin(_ name: String, _ language: PluginRequest.Language) throws(ShellError) {
        guard PluginLocator.isName(name) else {
            throw .usage(
                "\"\(name)\" is no name of a backend",
                hint: "a name is made of letters, digits, - and _")
        }
        let workspace = try workspaceIfAny()
        let template = PluginTemplate(rawValue: language.rawValue) ?? .python
        let file = "satchel-backend-\(name)"
        let folder =
            if let workspace { Path.join(workspace.root, "plugins") } else {
                try written { () throws(SystemError) in try Files.currentDirectory() }
            }
        let path = Path.join(folder, file)
        if Files.exists(path) {
            throw ShellError(
                .exists, "\(path) is there already", hint: "choose another name, or remove it")
        }
        let wasTrusted = try workspace.map { (space) throws(ShellError) in try isTrusted(space) }
        try written { () throws(SystemError) in
            try Files.makeDirectory(Path.parent(path))
            try Files.replace(
                path, with: Array(template.program(named: name).utf8), mode: 0o755)
        }
        // It is as we wrote it; what its author makes of it is for them to trust.
        if let workspace, wasTrusted == true {
            let hold = try holdingPrograms(of: workspace)
            try trustOwnWriting(workspace)
            _ = consume hold
        }
        try written { () throws(SystemError) in try output.write(path + "\n") }
        let setting =
            template == .sh ? "the folder with Model.ndjson files" : "the file it keeps"
        let level = template == .sh ? " --level read" : ""
        console.note("it needs the config key path: \(setting)")
        console.note("try it: satchel plugin test \(path)\(level) --set path=PATH")
        if template == .swift {
            console.note("build it, now and after a change, by running it: \(path)")
        }
        let prefix = Path.parent(Path.parent(executable))
        let installed = Path.join(prefix, "share/doc/satchel/plugins/README.md")
        let guide = Files.exists(installed) ? installed : "plugins/README.md of Satchel"
        console.note("the protocol is told in \(guide)")
    }
}
