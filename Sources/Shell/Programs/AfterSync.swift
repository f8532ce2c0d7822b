internal import JSON
internal import Platform
internal import Plugins
internal import Records
internal import Storage

/// Tells the hook `after_sync` what a sync changed.
///
/// Its first line of input is `{"event", "context", "pushed", "pulled", "changes"}`, then comes a
/// line a change: `{"model", "id", "kind", "origin"}`, as `log` shows them.
struct AfterSync: Sendable {
    private let config: HookConfig
    private let context: String
    private let runner: ProgramRunner

    /// Changes that are told at most; `log` has the rest.
    private static let limit = 100_000

    /// Nil where the workspace has no such hook, or it is what runs.
    init?(_ workspace: Workspace, _ environment: Environment) {
        guard environment["SATCHEL_HOOK"] == nil,
            let config = workspace.config.hooks.first(where: { $0.point == "after_sync" })
        else { return nil }
        self.config = config
        context = workspace.context.name
        runner = ProgramRunner(workspace, environment)
    }

    /// Runs the hook where something came or went since a place in the feed.
    ///
    /// - Parameters:
    ///   - store: Whose feed it is; nothing is open while the hook runs.
    ///   - place: Moved to the feed's end.
    ///   - interrupt: Raised to end it.
    /// - Returns: Why it failed: a warning, for the sync itself is done.
    func tell(_ store: Store, since place: inout Int64, _ interrupt: Interrupt) -> String? {
        let changes: [Change]
        do throws(StoreError) {
            let last = try store.lastChangeSeq()
            if last == place { return nil }
            changes = try store.changes(after: place, limit: Self.limit).filter {
                $0.origin != .local && $0.kind != .heard
            }
            place = last
        } catch {
            return "hooks.after_sync was not told: \(error.message)"
        }
        if changes.isEmpty { return nil }
        do throws(ShellError) {
            _ = try runner.run(
                config.program, as: "hooks.after_sync", input: input(changes), interrupt: interrupt,
                masker: Masker())
            return nil
        } catch {
            return "\(error.message); the sync is done all the same"
        }
    }

    private func input(_ changes: [Change]) -> [UInt8] {
        let pushed = changes.count { $0.origin == .push && $0.kind != .rejected }
        let head = JSONObject([
            ("event", "after_sync"), ("context", .string(context)),
            ("pushed", .int(Int64(pushed))),
            ("pulled", .int(Int64(changes.count { $0.origin == .remote }))),
            ("changes", .int(Int64(changes.count))),
        ])
        var bytes: [UInt8] = []
        JSONValue.object(head).write(into: &bytes)
        bytes.append(UInt8(ascii: "\n"))
        for change in changes {
            let line = JSONObject([
                ("model", .string(change.model)), ("id", .string(change.id.text)),
                ("kind", .string(change.kind.rawValue)),
                ("origin", .string(change.origin.rawValue)),
            ])
            JSONValue.object(line).write(into: &bytes)
            bytes.append(UInt8(ascii: "\n"))
        }
        return bytes
    }
}
