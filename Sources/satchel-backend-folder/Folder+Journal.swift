internal import CSystem
internal import Glibc
internal import Platform

extension Folder {
    /// Journals up to this size are settled together: waiting for the disk costs the same for one
    /// push and for twenty.
    private static let mostUnsettled: Int64 = 8 << 20

    /// Makes the changes of `journal`, all of them or, until its point of no return, none.
    ///
    /// 1. New files are written aside: a full disk is found out here, with nothing changed.
    /// 2. The journal is written and reaches the disk: from now on the push is decided.
    /// 3. The files take their places, and the log gets its lines.
    ///
    /// The caller holds the lock and has called `recover`. What step 3 wrote reaches the disk with
    /// `settle`, at leisure: until then the journal vouches for it.
    func commit(_ journal: Journal) throws(SystemError) {
        let workshop = try writableWorkshop()
        do throws(SystemError) {
            try prepare(journal, in: workshop)
        } catch {
            // On a full disk the journals of earlier pushes may be what is too much.
            guard error.kind == .noSpace, workshop.journals.size > 0 else { throw error }
            try settle()
            try prepare(journal, in: workshop)
        }
        do throws(SystemError) {
            for (index, entry) in journal.entries.enumerated() {
                try place(index, as: entry, from: workshop)
            }
            try log.append(journal.lines)
        } catch {
            workshop.journals.distrust()
            throw error
        }
        if workshop.journals.size > Self.mostUnsettled { try settle() }
    }

    /// Steps 1 and 2 of a commit.
    private func prepare(_ journal: Journal, in workshop: Workshop) throws(SystemError) {
        for (index, entry) in journal.entries.enumerated() {
            // Made here, so that step 3 has nothing left that a full disk could stop.
            _ = try directory(of: entry.model, making: true)
            try write(entry.content, aside: index, in: workshop)
        }
        try workshop.journals.append(journal)
    }

    /// Waits until all that was journaled is on the disk, and empties the journal.
    ///
    /// The caller holds the lock and has called `recover`.
    func settle() throws(SystemError) {
        let workshop = try writableWorkshop()
        guard workshop.journals.size > 0 else { return }
        try synchronise()
        try workshop.journals.clear()
    }

    /// Makes sure that every push decided so far is done; the caller holds the lock.
    ///
    /// It is not when a process died in it, or the machine lost what had not reached the disk.
    func recover() throws(SystemError) {
        let workshop = try writableWorkshop()
        try log.repair()
        guard workshop.journals.size > 0, try !workshop.journals.isAsLeft() else { return }
        for journal in try workshop.journals.read() {
            for (index, entry) in journal.entries.enumerated() {
                guard let directory = try directory(of: entry.model, making: true) else { continue }
                if let version = try directory.version(in: entry.file), version >= entry.version {
                    continue
                }
                try write(entry.content, aside: index, in: workshop)
                try place(index, as: entry, from: workshop)
            }
            try log.append(missingLines(of: journal))
        }
        try settle()
        // What follows the last whole journal was being written, and so nothing of it was done.
        try workshop.journals.clear()
    }

    /// True when pushes are journaled of which this process does not know that they are done.
    var hasForeignJournal: Bool {
        guard let workshop, workshop.journals.size > 0 else { return false }
        do throws(SystemError) {
            return try !workshop.journals.isAsLeft()
        } catch {
            return true
        }
    }

    /// True when a push of this process waits to be settled.
    var isUnsettled: Bool {
        guard let workshop, workshop.journals.size > 0 else { return false }
        return !hasForeignJournal
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
        _ content: [UInt8], aside index: Int, in workshop: Workshop
    ) throws(SystemError) {
        do throws(SystemError) {
            try SmallFile.write(Self.aside(index), in: workshop.descriptor.number, content)
        } catch {
            throw SystemError("write to \(path)", code: error.code)
        }
    }

    private func place(
        _ index: Int, as entry: Journal.Entry, from workshop: Workshop
    ) throws(SystemError) {
        let directory = try directory(of: entry.model, making: true)
        try directory?.place(
            Self.aside(index), from: workshop.descriptor.number, as: entry.file)
    }

    private func writableWorkshop() throws(SystemError) -> Workshop {
        guard let workshop else { throw SystemError("write to \(path)", code: EACCES) }
        return workshop
    }
}
