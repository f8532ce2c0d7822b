internal import JSON
internal import Platform
package import PluginKit
package import Records

extension FolderBackend {
    package func pull(
        _ query: PluginQuery, onto page: PluginPage, _ call: PluginCall
    ) throws(PluginError) -> PluginPageEnd {
        let folder = try reach()
        try require(query.model)
        finishForeignPush(in: folder)
        let limit = min(query.limit, Self.page)
        guard let json = query.cursor else {
            let head = try PluginError.reaching(folder.path) { () throws(SystemError) in
                try folder.log.head()
            }
            snapshot = nil
            let start = FolderCursor(epoch: folder.marker.epoch, position: head)
            return try pullSnapshot(folder, query.model, start, limit, onto: page, call)
        }
        let cursor = try current(json, in: folder)
        if cursor.after != nil {
            return try pullSnapshot(folder, query.model, cursor, limit, onto: page, call)
        }
        snapshot = nil
        return try pullDelta(folder, query.model, cursor, limit, onto: page, call)
    }

    package func fetch(
        model: String, ids: [RecordID], onto page: PluginPage, _ call: PluginCall
    ) throws(PluginError) {
        let folder = try reach()
        try require(model)
        let buffer = PageBuffer()
        let reader = RecordReader(names: folder.names)
        for id in ids {
            try call.checkCancelled()
            try PluginError.reaching(folder.path) { () throws(SystemError) in
                let directory = try folder.directory(of: model, making: false)
                try reader.append(id, version: nil, in: directory, onto: buffer)
            }
        }
        page.take(buffer)
    }

    private func require(_ model: String) throws(PluginError) {
        guard FolderName.isModel(model) else {
            throw PluginError(.permanent, "\(model) cannot be the name of a directory")
        }
    }

    /// The cursor, if it is of this folder's history.
    private func current(
        _ json: JSONValue, in folder: Folder
    ) throws(PluginError) -> FolderCursor {
        guard let cursor = FolderCursor(json), cursor.epoch.sameBytes(as: folder.marker.epoch)
        else {
            throw PluginError(.cursorExpired, "the folder's history began anew since the last pull")
        }
        let isHeld = try PluginError.reaching(folder.path) { () throws(SystemError) in
            try folder.log.holds(cursor.position)
        }
        guard isHeld else {
            throw PluginError(
                .cursorExpired,
                "the folder's log does not reach back to the last pull, or was replaced")
        }
        return cursor
    }

    /// A push that was decided by a process that died shows up in the log only once it is finished.
    private func finishForeignPush(in folder: Folder) {
        guard folder.hasForeignJournal else { return }
        do throws(SystemError) {
            // Nobody's lock: whoever wrote the journal is gone.
            guard let lock = try folder.lockIfFree() else { return }
            try folder.recover()
            _ = consume lock
        } catch {
            // Whoever may only read leaves it to the next writer.
            if error.kind != .permission { host?.log(.warning, error.message) }
        }
    }
}

extension FolderBackend {
    private func pullSnapshot(
        _ folder: Folder, _ model: String, _ cursor: FolderCursor, _ limit: Int,
        onto page: PluginPage, _ call: PluginCall
    ) throws(PluginError) -> PluginPageEnd {
        let found = try PluginError.reaching(folder.path) { () throws(SystemError) in
            let snapshot = try running(folder, model, cursor, call)
            return try snapshot.page(after: cursor.after, limit: limit) { done, total in
                call.progress(done, of: total)
                return !call.isCancelled
            }
        }
        guard let found, !call.isCancelled else { throw .cancelled }
        page.take(found.buffer)
        var next = cursor
        next.after = found.after
        if found.after == nil { snapshot = nil }
        let head = try PluginError.reaching(folder.path) { () throws(SystemError) in
            try folder.log.head()
        }
        return PluginPageEnd(
            cursor: next.json, more: found.after != nil || head.seq > cursor.position.seq,
            epoch: .string(folder.marker.epoch))
    }

    /// The snapshot that the cursor belongs to, listed anew where this process has not.
    private func running(
        _ folder: Folder, _ model: String, _ cursor: FolderCursor, _ call: PluginCall
    ) throws(SystemError) -> Snapshot {
        if let snapshot, snapshot.model == model, snapshot.start == cursor.position {
            return snapshot
        }
        let directory = try folder.directory(of: model, making: false)
        let begun = try Snapshot(
            model: model, start: cursor.position, directory: directory, names: folder.names
        ) {
            call.progress(0)
            return !call.isCancelled
        }
        snapshot = begun
        return begun
    }

    private func pullDelta(
        _ folder: Folder, _ model: String, _ cursor: FolderCursor, _ limit: Int,
        onto page: PluginPage, _ call: PluginCall
    ) throws(PluginError) -> PluginPageEnd {
        var next = cursor
        var more = false
        let buffer = PageBuffer()
        let isCancelled = try PluginError.reaching(folder.path) { () throws(SystemError) in
            let head = try folder.log.head()
            let directory = try folder.directory(of: model, making: false)
            let reader = RecordReader(names: folder.names)
            var delta = Delta(model: model, position: cursor.position, limit: limit)
            var isCancelled = false
            try folder.log.scan(from: cursor.position.offset) { (line, end) throws(SystemError) in
                isCancelled = call.isCancelled
                guard !isCancelled, end <= head.offset else { return false }
                let mark = (used: buffer.used, count: buffer.count)
                if let line = delta.recordToRead(line) {
                    try reader.append(
                        line.id, version: line.version, in: directory, onto: buffer)
                    if buffer.used > PageBuffer.limit, mark.count > 0 {
                        buffer.rewind(to: mark)
                        return false
                    }
                }
                delta.pass(end)
                return buffer.count < limit
            }
            next.position = try folder.log.position(seq: delta.seq, offset: delta.offset)
            more = delta.offset < head.offset
            return isCancelled
        }
        if isCancelled { throw .cancelled }
        page.take(buffer)
        return PluginPageEnd(cursor: next.json, more: more, epoch: .string(folder.marker.epoch))
    }
}

extension PluginPage {
    fileprivate func take(_ buffer: PageBuffer) {
        guard buffer.count > 0 else { return }
        append(items: buffer.count) { $0.append(contentsOf: buffer.bytes) }
    }
}
