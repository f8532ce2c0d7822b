package import JSON

/// What a workspace's `satchel.json` says.
package struct WorkspaceConfig: Sendable, Equatable {
    /// The schema's file, relative to the workspace.
    package var schema = "schema.graphql"
    /// In the order of the file.
    package var contexts: [ContextConfig] = []
    package var models: [ModelConfig] = []
    package var hooks: [HookConfig] = []

    package init() {}

    package func context(_ name: String) -> ContextConfig? {
        contexts.first { $0.name.sameBytes(as: name) }
    }
}

/// One named backend.
package struct ContextConfig: Sendable, Equatable {
    package var name: String
    /// Nil for a workspace that has none: then everything stays local.
    package var backend: String?
    /// The backend's own settings, which Satchel hands on.
    package var config = JSONObject()
    /// Nil: what the user's settings say.
    package var sync: SyncMode?
    /// Keys of `config` that are never shown.
    package var secrets: [String] = []
    /// A program that prints `KEY=VALUE` lines.
    package var secretCommand: String?

    package init(name: String, backend: String?) {
        self.name = name
        self.backend = backend
    }
}

/// Whether the prompt syncs on its own.
package enum SyncMode: String, Sendable, Equatable, CaseIterable {
    case auto, manual
}

package struct ModelConfig: Sendable, Equatable {
    package var name: String
    /// Only these records are pulled.
    package var filter: String?
    package var conflict: ConflictSetting?
    package var fields: [FieldConfig] = []

    package init(name: String) { self.name = name }
}

package struct FieldConfig: Sendable, Equatable {
    package var name: String
    package var conflict: ConflictSetting

    package init(name: String, conflict: ConflictSetting) {
        self.name = name
        self.conflict = conflict
    }
}

/// Who wins where both sides changed a field.
package enum ConflictSetting: Sendable, Equatable {
    case manual, server, local, max, min, union, counter
    /// A program decides; written `{ command: "./merge" }`.
    case command(ProgramConfig)

    static let names = ["manual", "server", "local", "max", "min", "union", "counter"]

    init?(name: String) {
        switch name {
        case "manual": self = .manual
        case "server": self = .server
        case "local": self = .local
        case "max": self = .max
        case "min": self = .min
        case "union": self = .union
        case "counter": self = .counter
        default: return nil
        }
    }
}

/// A program that runs at a point of a command.
package struct HookConfig: Sendable, Equatable {
    /// Such as `before_create`.
    package var point: String
    package var program: ProgramConfig

    package init(point: String, program: ProgramConfig) {
        self.point = point
        self.program = program
    }

    static let points = ["before_create", "before_update", "before_delete", "after_sync"]
}

/// A program and how long it may take; written as its command line alone, or
/// `{ command: "./check", timeout: 30 }`.
package struct ProgramConfig: Sendable, Equatable {
    package var command: String
    package var milliseconds: Int64

    package init(_ command: String, milliseconds: Int64 = 10_000) {
        self.command = command
        self.milliseconds = milliseconds
    }

    static let keys = ["command", "timeout"]
}
