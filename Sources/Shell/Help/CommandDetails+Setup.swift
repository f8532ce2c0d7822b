extension CommandName {
    var setupDetails: CommandDetails {
        switch self {
        case .schema:
            CommandDetails(
                "Shows the models, checks a schema file, takes the backend's own schema, or draws the relations. A changed file takes effect with the next command: records keep every value, and queued changes that do not fit any more are kept with their reason; check says which those would be. After a field or a type got another name, write @renamed(from: \"old\") behind it, and its values and queued changes go along; the backend has to know the new name too.",
                examples: [
                    "schema show Post": "fields, types and relations",
                    "schema check schema.graphql": "errors with line and column",
                    "schema graph -o mermaid": "a diagram",
                ], exits: [.needsConsent: "pull would change the file, and nobody could be asked"])
        case .initialise:
            CommandDetails(
                "Makes a workspace in a folder: satchel.json, schema.graphql and the store. Without a schema it writes an example to change, or keeps the one that is there; without a backend changes stay here until there is one.",
                examples: [
                    "init --demo": "with the countries of the world, to try things on",
                    "init blog --schema blog.graphql --backend folder --set path=/srv/blog":
                        "from a schema, kept in step with a folder",
                    "init notes --amplify amplify_outputs.json":
                        "with the API, the key and the models of an Amplify project",
                ])
        case .config:
            CommandDetails(
                "Reads and changes the settings of the workspace.",
                examples: [
                    "config get contexts.default.backend": "one setting",
                    "config set contexts.default.sync manual": "no background sync",
                    "config set hooks.before_create null": "take a setting away",
                ])
        case .context:
            CommandDetails(
                "Lists the backends of this workspace, chooses, adds or removes one. Each has its own store.",
                examples: [
                    "context add staging --backend folder --set path=../staging": "another backend",
                    "context use staging": "from now on",
                ], exits: [.needsConsent: "remove would lose changes, and nobody could be asked"])
        case .auth:
            CommandDetails(
                "Shows which secrets the backend needs, asks for them, or forgets them. In a pipe, login reads a line a secret.",
                "Secrets are for the backend and the settings they were given for. When another backend stands in satchel.json, or a setting changes that is more than a number or a yes or no, they are sent nowhere until: auth login.",
                examples: ["auth": "what is there", "auth login": "ask for what is missing"],
                exits: [
                    .needsLogin: "one is missing, or the backend did not take them",
                    .needsConsent: "logout with changes not delivered, and nobody could be asked",
                ])
        case .plugin:
            CommandDetails(
                "Lists the backends that can be used, tests one, or writes the beginning of a new one. A test asks for the secrets the backend wants; in a pipe, it reads a line a secret.",
                examples: [
                    "plugin info folder": "where it is and what it can do",
                    "plugin test ./plugins/satchel-backend-mine --set path=trial.json":
                        "check a backend",
                    "plugin new mine --language python": "write one",
                ], exits: [.brokenPlugin: "it cannot be started or breaks the protocol"])
        case .trust:
            CommandDetails(
                "Shows which programs this workspace would start, and asks whether they may run. A changed satchel.json must be trusted again, and so must a program of the workspace's own whose content changed.",
                examples: ["trust": "look and decide"],
                exits: [.needsConsent: "nobody could be asked; --yes consents"])
        case .doctor:
            CommandDetails(
                "Checks the workspace, its schema, trust, backend, programs, permissions, store, every record, queue, log and lease, starts the backend and asks whether it can be reached, unless --offline, and says what to mend. It repairs nothing, and never drops a change.",
                examples: ["doctor": "check everything"],
                exits: [
                    .failed: "something is wrong",
                    .store: "the store is damaged or from a newer version",
                ])
        default: CommandDetails(examples: [:])
        }
    }

    var shellDetails: CommandDetails {
        switch self {
        case .help:
            CommandDetails(
                "Explains a command, or one of the topics \(HelpTopic.list).",
                examples: ["help list": "a command", "help filters": "a topic"])
        case .history:
            CommandDetails(
                "Lists the commands typed at the prompt, of all sessions, newest last. A line that begins with a space is not kept.",
                examples: ["history 20": "the latest twenty"])
        case .set:
            CommandDetails(
                "Shows or changes settings of this session, such as the output format.",
                examples: ["set": "all of them", "set output json": "from now on"])
        case .source:
            CommandDetails(
                "Runs the commands of a file as if they were typed here; stops at the first error.",
                examples: ["source seed.satchel": "run a script"])
        case .completion:
            CommandDetails(
                "Prints the completion script of a shell.",
                examples: ["completion bash": "for ~/.bashrc: source <(satchel completion bash)"])
        case .exit:
            CommandDetails(
                "Leaves the shell; Ctrl-D on an empty line does so too.",
                examples: ["exit": "leave"])
        default: CommandDetails(examples: [:])
        }
    }
}
