internal import Platform

/// The processes that this one descends from, as the system knows them.
enum Ancestry {
    /// The name that the guard of a plugin, a hook or a merge program gives itself.
    private static let guardName = "satchel-guard"

    /// True for what such a program started, whatever it did to its environment or its session.
    ///
    /// A guard is the parent of all whose own parents are gone, until it is killed itself.
    static var hasGuard: Bool {
        var process = Int64(Machine.processID)
        var seen: Set<Int64> = []
        while process > 1, seen.insert(process).inserted, let status = status(of: process) {
            if status.name == guardName { return true }
            process = status.parent
        }
        return false
    }

    /// From `/proc/PID/stat`: `PID (NAME) STATE PARENT ...`; the name may hold anything.
    private static func status(of process: Int64) -> (name: String, parent: Int64)? {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try Files.read("/proc/\(process)/stat", limit: 4_096)
        } catch {
            return nil
        }
        guard let start = bytes.firstIndex(of: UInt8(ascii: "(")),
            let end = bytes.lastIndex(of: UInt8(ascii: ")")), start < end
        else { return nil }
        let rest = String(decoding: bytes[(end + 1)...], as: UTF8.self).split(separator: " ")
        guard rest.count > 1, let parent = Int64(rest[1]) else { return nil }
        return (String(decoding: bytes[(start + 1)..<end], as: UTF8.self), parent)
    }
}
