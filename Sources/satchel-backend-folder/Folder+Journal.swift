internal import CSystem
internal import Glibc
internal import Platform

extension Folder {
    /// Makes the changes of `journal`, all of them or, until its point of no return, none.
    ///
    /// 1. New files are written aside: a full disk is found out here, with nothing changed.
    /// 2. The journal is written and reaches the disk: from now on the push is decided.
    /// 3. The files take their places, and the log gets its lines.
    ///
    /// The caller holds the lock, has called `recover`, and calls `settle` before it lets go.
    func commit(_ journal: Journal) throws(SystemError) {
        let workshop = try writableWorkshop()
        for (index, entry) in journal.entries.enumerated() {
            // Made here, so that step 3 has nothing left that a full disk could stop.
            _ = try directory(of: entry.model, making: true)
            try write(entry.content, aside: index, in: workshop)
        }
        do throws(SystemError) {
            try journal.write(in: workshop)
        } catch {
            try Journal.clear(in: workshop)
            throw error
        }
        for (index, entry) in journal.entries.enumerated() {
            let directory = try directory(of: entry.model, making: true)
            try directory?.place(Self.aside(index), from: workshop, as: entry.file)
        }
        try log.append(journal.lines)
    }

    /// Makes the latest commit proof against a power cut, so that its journal can go.
    func settle() throws(SystemError) {
        try synchronise()
        try Journal.clear(in: try writableWorkshop())
    }

    /// Finishes the push of a process that died in it; the caller holds the lock.
    ///
    /// - Returns: True when there was one.
    @discardableResult
    func recover() throws(SystemError) -> Bool {
        let workshop = try writableWorkshop()
        try log.repair()
        guard Journal.isThere(in: workshop) else { return false }
        guard let journal = try Journal.read(in: workshop) else {
            // It was being written, and so nothing of it was done.
            try Journal.clear(in: workshop)
            return false
        }
        for (index, entry) in journal.entries.enumerated() {
            guard let directory = try directory(of: entry.model, making: true) else { continue }
            if let version = try directory.version(in: entry.file), version >= entry.version {
                continue
            }
            try write(entry.content, aside: index, in: workshop)
            try directory.place(Self.aside(index), from: workshop, as: entry.file)
        }
        try log.append(missingLines(of: journal))
        try settle()
        return true
    }

    /// True when a push was decided and not finished, or is under way.
    var hasJournal: Bool {
        guard let workshop else { return false }
        return Journal.isThere(in: workshop.descriptor.number)
    }

    /// The lines of a journal that the log does not have yet.
    private func missingLines(of journal: Journal) throws(SystemError) -> [UInt8] {
        let written = try log.head().seq - journal.firstSeq + 1
        guard written > 0 else { return journal.lines }
        let lines = journal.lines.split(separator: UInt8(ascii: "\n"))
        return lines.dropFirst(Int(clamping: written)).flatMap { $0 + [UInt8(ascii: "\n")] }
    }

    private static func aside(_ index: Int) -> String { "new-\(index)" }

    private func write(
        _ content: [UInt8], aside index: Int, in workshop: Int32
    ) throws(SystemError) {
        let code = content.withUnsafeBytes { bytes in
            satchel_write_at(workshop, Self.aside(index), bytes.baseAddress, bytes.count)
        }
        guard code == 0 else { throw SystemError("write to \(path)", code: code) }
    }

    private func writableWorkshop() throws(SystemError) -> Int32 {
        guard let workshop else { throw SystemError("write to \(path)", code: EACCES) }
        return workshop.descriptor.number
    }
}
