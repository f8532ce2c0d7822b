extension Store {
    /// Runs `body` in a transaction: all of it is durable when this returns, or none of it is.
    ///
    /// Within another `write`, or a batch, a failing body takes back its own part only.
    ///
    /// Not `guarded`, a part of a batch costs a fifth less: one that fails before it changed
    /// anything leaves the batch as it was, but one that fails later loses the whole batch.
    package func write<T>(
        guarded: Bool = true, _ body: () throws(StoreError) -> T
    ) throws(StoreError) -> T {
        try write(guarded: guarded, body, mapping: { $0 })
    }

    /// As `write`, for bodies that throw an error of their own.
    ///
    /// `mapping` gives failures of the transaction itself the body's type.
    package func write<T, E: Error>(
        guarded: Bool = true, _ body: () throws(E) -> T, mapping: (StoreError) -> E
    ) throws(E) -> T {
        let isOuter = transaction.mode == .none
        try mapped(mapping) { () throws(StoreError) in
            if isOuter { try begin(.write) } else { try openSavepoint(guarded: guarded) }
        }
        let result: T
        do throws(E) {
            result = try body()
        } catch {
            if isOuter { rollback() } else { rollbackSavepoint(mapping, error) }
            throw error
        }
        try mapped(mapping) { () throws(StoreError) in
            if isOuter { try commit() } else { try releaseSavepoint() }
        }
        return result
    }

    /// Runs `body` on one unchanging view of the store.
    package func read<T>(_ body: () throws(StoreError) -> T) throws(StoreError) -> T {
        try read(body, mapping: { $0 })
    }

    /// As `read`, for bodies that throw an error of their own.
    package func read<T, E: Error>(
        _ body: () throws(E) -> T, mapping: (StoreError) -> E
    ) throws(E) -> T {
        guard transaction.mode == .none else { return try body() }
        try mapped(mapping) { () throws(StoreError) in
            try run("BEGIN")
            transaction.mode = .read
            do throws(StoreError) {
                try requireOwnSchema()
            } catch {
                rollback()
                throw error
            }
        }
        // Nothing was written: ending it either way is the same, and cannot fail in earnest.
        defer { rollback() }
        return try body()
    }

    private func mapped<E: Error>(
        _ mapping: (StoreError) -> E, _ step: () throws(StoreError) -> Void
    ) throws(E) {
        do throws(StoreError) {
            try step()
        } catch {
            throw mapping(error)
        }
    }
}

// Batches
extension Store {
    package var isInBatch: Bool { transaction.mode == .batch }

    /// Begins a transaction that later calls of `write` join, until `commitBatch`.
    package func beginBatch() throws(StoreError) {
        guard transaction.mode == .none else {
            throw StoreError(.misuse, "a batch cannot begin inside a transaction")
        }
        try begin(.batch)
    }

    /// Makes everything written since `beginBatch` durable.
    package func commitBatch() throws(StoreError) {
        guard transaction.mode == .batch, transaction.depth == 0 else {
            throw StoreError(.misuse, "there is no batch to commit here")
        }
        try commit()
    }

    /// Takes back everything written since `beginBatch`.
    package func rollbackBatch() {
        if transaction.mode == .batch { rollback() }
    }
}

// Steps
extension Store {
    private func begin(_ mode: Transaction.Mode) throws(StoreError) {
        if let faults = options.faults { try faults(.begin) }
        try run("BEGIN IMMEDIATE")
        transaction.mode = mode
        do throws(StoreError) {
            try requireOwnSchema()
        } catch {
            rollback()
            throw error
        }
    }

    private func commit() throws(StoreError) {
        do throws(StoreError) {
            if let lost = transaction.lost { throw lost }
            if let faults = options.faults { try faults(.commit) }
            try requireOwnFile()
            try run("COMMIT")
        } catch {
            rollback()
            throw error
        }
        transaction = Transaction()
        log.checkpointIfLong(connection)
        if let faults = options.faults { try faults(.committed) }
    }

    /// What is written to a file that was deleted or replaced is seen by nobody else, and gone with
    /// this process: it must not be acknowledged.
    func requireOwnFile() throws(StoreError) {
        guard connection.hasMoved else { return }
        throw StoreError(
            .damaged, "the store \(path) was deleted or replaced while it was in use",
            hint: "nothing was written to it since; begin anew, and satchel uses what is there now")
    }

    private func rollback() {
        transaction = Transaction()
        guard !connection.isIdle else { return }
        // Only a lock or a broken disk could stop it, and closing the file has the same effect.
        do throws(StoreError) { try connection.execute("ROLLBACK") } catch { return }
    }

    private func openSavepoint(guarded: Bool) throws(StoreError) {
        guard transaction.mode != .read else {
            throw StoreError(.misuse, "a write cannot begin inside a read")
        }
        if let lost = transaction.lost { throw lost }
        if transaction.depth == 0 { transaction.isGuarded = guarded || transaction.mode != .batch }
        if transaction.isGuarded || transaction.depth > 0 {
            try run("SAVEPOINT nested")
        } else {
            transaction.changesBefore = connection.totalChanges
        }
        transaction.depth += 1
    }

    private func releaseSavepoint() throws(StoreError) {
        transaction.depth -= 1
        if transaction.isGuarded || transaction.depth > 0 { try run("RELEASE nested") }
    }

    /// After a full disk SQLite may have rolled back everything: then what the outer transaction
    /// wrote before is gone too, and its commit must say so.
    private func rollbackSavepoint<E: Error>(_ mapping: (StoreError) -> E, _ cause: E) {
        transaction.depth -= 1
        do throws(StoreError) {
            guard !connection.isIdle else {
                throw StoreError(.closed, "the transaction was rolled back: \(cause)")
            }
            if !transaction.isGuarded, transaction.depth == 0 {
                if connection.totalChanges == transaction.changesBefore { return }
                throw StoreError(.closed, "the batch was given up: \(cause)")
            }
            try connection.execute("ROLLBACK TO nested; RELEASE nested")
        } catch {
            transaction.lost = (cause as? StoreError) ?? error
        }
    }
}
