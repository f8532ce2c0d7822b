import JSON
import Outbox
import Records
import Storage
import Sync

// A person syncs.
extension Person {
    func push() throws {
        do {
            guard try greets() else { return }
            try process.engine.takeLease()
            let selection = PushSelection(ignoresDelay: draw.chance(.options, 50))
            for _ in 0..<draw.number(.more, 1..<4) { _ = try process.engine.pushStep(selection) }
            if draw.chance(.options, 70) { try process.engine.releaseLease() }
        } catch SyncError.backend {
            return
        } catch SyncError.leaseHeld {
            return
        }
    }

    /// Each session begins so: it finds out whether this is the right data set.
    private func greets() throws -> Bool {
        do {
            _ = try process.engine.open(acceptRemote: false)
            return true
        } catch SyncError.backend {
            return false
        } catch SyncError.identityChanged {
            return false
        }
    }

    func pull() throws {
        guard let model = draw.pick(.model, store.schema.models, name: \.name) else { return }
        do {
            guard try greets() else { return }
            // One that begins anew is most in the way of another.
            let isFull = draw.chance(.options, draw.isNested ? 40 : 5)
            let step = try process.engine.pullStep(model, full: isFull)
            if case .complete = step {
                let accepts = draw.chance(.options, 50)
                process.acceptsDeletions = accepts
                _ = try process.engine.finish(model, acceptDeletions: accepts)
            }
        } catch SyncError.backend {
            return
        } catch SyncError.deletionsRefused {
            return
        }
    }

    /// A whole sync as the command makes it.
    func sync() throws {
        var options = SyncOptions()
        options.acceptDeletions = draw.chance(.options, 60)
        options.acceptRemote = draw.chance(.options, 50)
        options.isAsked = draw.chance(.options, 70)
        options.full = draw.chance(.options, 5)
        if draw.chance(.options, 10) { options.pulls = false }
        if draw.chance(.options, 10) { options.models = ["Comment"] }
        try sync(options)
    }

    func sync(_ options: SyncOptions) throws {
        process.acceptsDeletions = options.acceptDeletions
        if options.acceptRemote { client.consented.insert(world.server.identity) }
        var run = SyncRun(engine: process.engine, options: options)
        let outcome = run.run()
        if case .store(let error) = outcome.failure { throw error }
        if let failure = outcome.failure { Trace.note("    sync failed: \(failure)") }
    }

    /// A session goes on by itself, for as long as nothing else happens.
    func turn() throws {
        for _ in 0..<(world.setting.hasSessions ? draw.number(.more, 1..<5) : 1) {
            if process.needsLogin, draw.chance(.options, 50) { process.logIn() }
            try process.turn()
            guard world.setting.hasSessions else { return }
            world.now = process.nextTurn
        }
    }

    /// The machine slept: this process finds the lease run out, and takes it.
    func overtake() throws {
        world.now += 3_600_000
        do { try process.engine.takeLease() } catch SyncError.leaseHeld { return }
    }

    /// Two people write the same record in turns.
    func relay() throws {
        guard let (model, id) = try anyRecord(), let set = try change(model, id),
            let other = draw.pick(
                .who, world.clients.filter { $0 !== client }, name: \.name)?.processes.first
        else { return }
        try put(model, id, set)
        if draw.chance(.more, 50) {
            process.backend.losesReply = world.strikes(.replyLost, 40, alike: true)
            try push()
        }
        if other.isOutdated { try other.restart() }
        let colleague = Person(world, other)
        guard let theirs = other.store.schema.model(model.name) else { return }
        try other.live {
            try colleague.pull(theirs)
            let plain = variant.plain(set, model.name)
            if let set = try colleague.answer(to: plain, theirs, id) {
                try colleague.put(theirs, id, set)
            }
            try colleague.push()
        }
        try Invariants(world).check(other.client)
        try pull(model)
        try Invariants(world).check(client)
        if draw.chance(.more, 50) { try sync() } else { try push() }
    }

    /// Another change of the same fields, or of any.
    private func answer(to set: JSONObject, _ model: Model, _ id: RecordID) throws -> JSONObject? {
        let texts = ["title", "body", "text"]
        let plain = variant.plain(set, model.name)
        guard draw.chance(.more, 60), plain.keys.allSatisfy(texts.contains) else {
            return try change(model, id)
        }
        let answer = variant.local(
            values: JSONObject(plain.keys.map { ($0, world.text()) }), model.name)
        return answer.keys.allSatisfy { model.field($0) != nil } ? answer : nil
    }

    private func pull(_ model: Model) throws {
        do {
            guard try greets() else { return }
            for _ in 0..<3 {
                if case .complete = try process.engine.pullStep(model, full: false) { return }
            }
        } catch SyncError.backend {
            return
        }
    }

    /// Reads a model page by page and writes in between: the next page may be older than that.
    func chase() throws {
        guard let model = draw.pick(.model, store.schema.models, name: \.name) else { return }
        do {
            guard try greets(),
                case .page = try process.engine.pullStep(model, full: draw.chance(.options, 50))
            else { return }
            let ids = try store.ids(Query(model: model.name), limit: .max)
            let next = ids.dropFirst(min(3, world.setting.capabilities.page)).first
            if let id = next, let set = try change(model, id) { try put(model, id, set) }
            try process.engine.takeLease()
            _ = try process.engine.pushStep(PushSelection(ignoresDelay: true))
            try process.engine.releaseLease()
            try Invariants(world).check(client)
            // Looking on, a process that was told of another schema begins anew.
            guard let present = store.schema.model(model.name) else { return }
            _ = try process.engine.pullStep(present, full: false)
        } catch SyncError.backend {
            return
        } catch SyncError.leaseHeld {
            return
        }
    }
}
