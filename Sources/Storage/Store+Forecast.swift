internal import Glibc
internal import JSON
package import Records

/// What adopting a schema would do to a store's queue.
package struct SchemaForecast: Sendable, Equatable {
    /// Undelivered mutations that would be parked, in the queue's order, each with its reason.
    package var parked: [Mutation] = []

    package init() {}
}

extension Store {
    /// Says what opening a store with `schema` would park; nothing in the file changes.
    ///
    /// - Returns: Nothing parked where there is no store at `path`.
    /// - Throws: Kind `.damaged` for a file that is no store.
    package static func forecast(
        at path: String, adopting schema: Schema
    ) throws(StoreError) -> SchemaForecast {
        var forecast = SchemaForecast()
        var info = stat()
        guard stat(path, &info) == 0, info.st_size > 0 else { return forecast }
        let connection = try Connection(path: path, isNew: false)
        try connection.execute("PRAGMA busy_timeout = 5000")
        let hasQueue = try connection.prepare(
            "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'mutation'",
            isKept: false)
        guard try hasQueue.step() else { return forecast }
        let lines = try connection.prepare(
            """
            SELECT (SELECT value FROM meta WHERE key = 'schema_hash'),
                (SELECT value FROM meta WHERE key = 'layout'),
                (SELECT value FROM meta WHERE key = 'schema')
            """, isKept: false)
        guard try lines.step(), let hash = lines.optionalText(0) else { return forecast }
        let memory = try lines.json(2).flatMap { SchemaMemory(json: $0, hash: hash) }
        let change = SchemaChange(
            from: (memory ?? SchemaMemory())
                .known(try lines.json(1).flatMap(ModelLayout.layouts) ?? []),
            to: schema, gone: memory?.gone ?? [:])
        let queue = try connection.prepare(
            """
            SELECT seq, model, id, kind, state, not_before, attempts, frozen, created_at, key,
                "group", base_version, error, "set", was
            FROM mutation WHERE state <> 'rejected' ORDER BY seq
            """, isKept: false)
        while try queue.step() {
            var mutation = try queue.mutation()
            if let model = change.models.first(where: { $0.old.name == mutation.model })?.new {
                mutation.model = model.name
            }
            let carried = change.carried(mutation)
            guard let misfit = carried.misfit else { continue }
            mutation.failure = misfit
            forecast.parked.append(mutation)
        }
        return forecast
    }
}
