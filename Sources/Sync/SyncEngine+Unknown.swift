internal import JSON
internal import Outbox
internal import Records
internal import Storage

extension SyncEngine {
    /// Settles mutations whose outcome is unknown with a backend that does not know keys: asks
    /// for the records and compares.
    ///
    /// The record equals our post-image: it had arrived. It still has the version we wrote on: it
    /// had not, and goes again. Anything else is another's write: a conflict.
    func settleUnknown(_ mutations: [Mutation], conditional: Bool) throws(SyncError) -> PushStep {
        let found: [RecordKey: RemoteRecord]
        do throws(BackendError) {
            found = try states(of: mutations)
        } catch {
            return .failed(error)
        }
        return .answered(try compare(mutations, with: found, conditional: conditional))
    }

    /// Asks for the records of conflicts whose answer did not tell them.
    func askAbout(_ mutations: [Mutation]) throws(SyncError) -> Int {
        let found = try asked { () throws(BackendError) in try states(of: mutations) }
        var notices: [SyncNotice] = []
        try stored { () throws(StoreError) in
            try store.write { () throws(StoreError) in
                for mutation in mutations {
                    guard let present = try store.mutation(mutation.seq),
                        let remote = found[mutation.record]
                    else { continue }
                    notices += try conflict(present, try base(remote, present))
                }
            }
        }
        for notice in notices { notify(notice) }
        return mutations.count
    }

    private func states(of mutations: [Mutation]) throws(BackendError)
        -> [RecordKey: RemoteRecord]
    {
        var found: [RecordKey: RemoteRecord] = [:]
        var models: [String] = []
        for mutation in mutations where !models.contains(mutation.model) {
            models.append(mutation.model)
        }
        for model in models {
            let ids = mutations.filter { $0.model == model }.map(\.id)
            for record in try backend.fetch(model: model, ids: ids) {
                found[RecordKey(model, record.id)] = record
            }
        }
        return found
    }

    private func compare(
        _ mutations: [Mutation], with found: [RecordKey: RemoteRecord], conditional: Bool
    ) throws(SyncError) -> Int {
        var notices: [SyncNotice] = []
        var settled = 0
        try stored { () throws(StoreError) in
            try store.write { () throws(StoreError) in
                for mutation in mutations {
                    guard var present = try store.mutation(mutation.seq),
                        present.state == .unknown
                    else { continue }
                    settled += 1
                    guard let remote = found[mutation.record] else { continue }
                    if arrived(present, remote) {
                        try deliver(present, version: remote.version, record: remote.record)
                        notices.append(.delivered(present))
                    } else if notArrived(present, remote) || !conditional {
                        present.state = .queued
                        present.notBefore = 0
                        try store.updateMutation(present)
                    } else {
                        notices += try conflict(present, try base(remote, present))
                    }
                }
            }
        }
        for notice in notices { notify(notice) }
        return settled
    }

    private func arrived(_ mutation: Mutation, _ remote: RemoteRecord) -> Bool {
        guard let record = remote.record else { return mutation.kind == .delete }
        if mutation.kind == .delete { return false }
        return mutation.set.pairs.allSatisfy { record[$0.key] ?? .null == $0.value }
    }

    private func notArrived(_ mutation: Mutation, _ remote: RemoteRecord) -> Bool {
        guard remote.record != nil else { return mutation.kind == .create }
        return mutation.baseVersion != nil && mutation.baseVersion == remote.version
    }

    private func base(_ remote: RemoteRecord, _ mutation: Mutation) throws(StoreError) -> Base {
        guard let record = remote.record else { return try gone(mutation, remote.version) }
        return Base(version: remote.version, record: record)
    }
}
