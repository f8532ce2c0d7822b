/// Every option of every command; one name means the same, and takes a value or not, everywhere.
package enum OptionName: String, Sendable, CaseIterable {
    // Of every command.
    case workspace, context, output, offline, yes
    case noInput = "no-input"
    case dryRun = "dry-run"
    case quiet, verbose, timeout, color, help, version, meta
    // Of a whole script.
    case file
    case keepGoing = "keep-going"
    case check, atomic
    // Of some commands.
    case filter = "where"
    case unset, data
    case noCascade = "no-cascade"
    case deliver, remote, local, format, key, map, all, full
    case acceptDeletions = "accept-deletions"
    case acceptRemote = "accept-remote"
    case since, sync, demo, schema, amplify, backend, set, level, language

    /// The letter of the short form.
    package var short: UInt8? {
        switch self {
        case .workspace: UInt8(ascii: "w")
        case .context: UInt8(ascii: "c")
        case .output: UInt8(ascii: "o")
        case .quiet: UInt8(ascii: "q")
        case .verbose: UInt8(ascii: "v")
        case .file: UInt8(ascii: "f")
        case .help: UInt8(ascii: "h")
        default: nil
        }
    }

    /// What the option's value is called in help; nil for an option without a value.
    package var value: String? {
        switch self {
        case .workspace: "DIR"
        case .context: "NAME"
        case .output, .format: "FORMAT"
        case .timeout: "SECONDS"
        case .color: "auto|always|never"
        case .file, .schema, .amplify: "FILE"
        case .filter: "EXPR"
        case .unset, .key: "FIELD"
        case .data: "JSON|@FILE|@-"
        case .map: "COLUMN=FIELD"
        case .since: "TOKEN"
        case .backend: "NAME"
        case .set: "KEY=VALUE"
        case .level: "read|write|sync"
        case .language: "sh|python|swift"
        case .offline, .yes, .noInput, .dryRun, .quiet, .verbose, .help, .version, .meta,
            .keepGoing,
            .check, .atomic, .noCascade, .deliver, .remote, .local, .all, .full,
            .acceptDeletions, .acceptRemote, .sync, .demo:
            nil
        }
    }

    package var takesValue: Bool { value != nil }

    /// One line of help.
    package var summary: String {
        switch self {
        case .workspace: "use the workspace in DIR"
        case .context: "use this context"
        case .output: "write results as table, tsv, json, ndjson, csv, yaml or id"
        case .offline: "do not talk to the backend"
        case .yes: "consent to what would be asked"
        case .noInput: "never ask; fail where consent is missing"
        case .dryRun: "show what would be done, do nothing"
        case .quiet: "no notes and no progress"
        case .verbose: "say more on standard error"
        case .timeout: "give up after so many seconds"
        case .color: "when to colour"
        case .help: "show help"
        case .version: "show the version"
        case .meta: "add _version and _state"
        case .file: "run the commands in FILE ('-' is standard input)"
        case .keepGoing: "run on after an error"
        case .check: "parse and validate only"
        case .atomic: "one transaction for the whole script"
        case .filter: "only records that match"
        case .unset: "set the field to null"
        case .data: "take the fields from a JSON object"
        case .noCascade: "leave the children"
        case .deliver: "push at once and wait for the verdicts"
        case .remote: "ask the backend (get), keep its side (resolve)"
        case .local: "keep the local side"
        case .format: "json, ndjson, csv or tsv"
        case .key: "update the record whose FIELD is equal"
        case .map: "a column that is named otherwise"
        case .all: "read back what export wrote"
        case .full: "pull everything anew"
        case .acceptDeletions: "remove what the backend no longer has"
        case .acceptRemote: "adopt another remote data set"
        case .since: "begin after TOKEN"
        case .sync: "sync in the background"
        case .demo: "with real data to try"
        case .schema: "copy this schema"
        case .amplify: "take API and models of an Amplify project"
        case .backend: "the backend's name"
        case .set: "a setting of the backend"
        case .level: "how much to test"
        case .language: "what the plugin is written in"
        }
    }
}

extension OptionName {
    package static func short(_ letter: UInt8) -> OptionName? {
        allCases.first { $0.short == letter }
    }

    /// This option's place in an `OptionNames`.
    fileprivate var bit: UInt64 { 1 << UInt64(Self.allCases.firstIndex(of: self) ?? 63) }
}

/// A set of options, cheap to test against.
package struct OptionNames: OptionSet, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    package init(_ names: OptionName...) {
        rawValue = names.reduce(0) { $0 | $1.bit }
    }

    package mutating func insert(_ name: OptionName) { formUnion(OptionNames(name)) }

    package func contains(_ name: OptionName) -> Bool { rawValue & name.bit != 0 }

    /// The members, in the order of declaration.
    package var names: [OptionName] { OptionName.allCases.filter { contains($0) } }

    /// Options of every command.
    package static let everywhere = OptionNames(
        .workspace, .context, .output, .offline, .yes, .noInput, .dryRun, .quiet, .verbose,
        .timeout, .color, .help, .version, .meta)

    /// Options of a whole script.
    package static let script = OptionNames(.file, .keepGoing, .check, .atomic)
}
