/// Who is pushing.
package struct Lease: Sendable, Equatable {
    package var owner: String
    package var pid: Int32
    /// The system's start, for process numbers begin anew with it.
    package var bootID: String
    /// Milliseconds since 1970.
    package var expiresAt: Int64

    package init(owner: String, pid: Int32, bootID: String, expiresAt: Int64) {
        self.owner = owner
        self.pid = pid
        self.bootID = bootID
        self.expiresAt = expiresAt
    }
}

extension Store {
    /// Takes the lease if it is free, already the owner's, expired, or its holder is dead.
    ///
    /// One that lasts many times as long as `lease` would was taken before the clock was set back:
    /// it is taken over too, for else a process that got its holder's number could keep it for
    /// years.
    ///
    /// - Returns: Nil when it was taken, else the holder.
    package func takeLease(
        _ lease: Lease, now: Int64, isAlive: (Lease) -> Bool
    ) throws(StoreError) -> Lease? {
        try write { () throws(StoreError) in
            let credible = (lease.expiresAt - now).multipliedReportingOverflow(by: 10)
            if let holder = try self.lease(), holder.owner != lease.owner, holder.expiresAt > now,
                credible.overflow || holder.expiresAt - now <= credible.partialValue,
                isAlive(holder)
            {
                return holder
            }
            try save(lease)
            return nil
        }
    }

    /// Moves the expiry.
    ///
    /// - Returns: False when somebody else took the lease meanwhile.
    package func renewLease(_ lease: Lease) throws(StoreError) -> Bool {
        try run("UPDATE lease SET expires_at = ? WHERE owner = ?") { (row) in
            row.bind(1, lease.expiresAt)
            row.bind(2, lease.owner)
        }
        return connection.changes == 1
    }

    /// Gives the lease up; nothing happens when it is not the owner's.
    package func releaseLease(owner: String) throws(StoreError) {
        try run("DELETE FROM lease WHERE owner = ?") { (row) in
            row.bind(1, owner)
        }
    }

    package func lease() throws(StoreError) -> Lease? {
        try first(
            "SELECT owner, pid, boot_id, expires_at FROM lease",
            { (row) throws(StoreError) in
                Lease(
                    owner: row.text(0), pid: Int32(truncatingIfNeeded: row.integer(1)),
                    bootID: row.text(2), expiresAt: row.integer(3))
            })
    }

    private func save(_ lease: Lease) throws(StoreError) {
        try run(
            """
            INSERT OR REPLACE INTO lease (row, owner, pid, boot_id, expires_at)
            VALUES (1, ?, ?, ?, ?)
            """
        ) { (row) in
            row.bind(1, lease.owner)
            row.bind(2, Int64(lease.pid))
            row.bind(3, lease.bootID)
            row.bind(4, lease.expiresAt)
        }
    }
}
