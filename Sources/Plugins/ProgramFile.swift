internal import Platform

/// What is asked of a file before it is started.
package enum ProgramFile {
    /// Why a program could have been put there by somebody else; nil where it could not.
    package static func danger(_ path: String) -> String? {
        do throws(SystemError) {
            let real = try Files.realPath(path)
            if try Files.status(real).isWorldWritable { return "everybody can write to it" }
            var directory = Path.parent(real)
            while true {
                let status = try Files.status(directory)
                // In a sticky directory, such as /tmp, only the owner of a file can replace it.
                if status.isWorldWritable, status.mode & 0o1000 == 0 {
                    return directory == Path.parent(real)
                        ? "everybody can replace it in its directory"
                        : "everybody can replace what is in \(directory)"
                }
                if directory == "/" { return nil }
                directory = Path.parent(directory)
            }
        } catch {
            return error.message
        }
    }

    /// Where in a folder a file is named; nil for one that is elsewhere.
    ///
    /// A link in the folder is in it, wherever it leads: whoever can change the folder can change
    /// where that is.
    package static func place(of path: String, in folder: String) -> String? {
        if let place = relative(Path.normalise(path), to: Path.normalise(folder)) { return place }
        do throws(SystemError) {
            return relative(try Files.realPath(path), to: try Files.realPath(folder))
        } catch {
            return nil
        }
    }

    private static func relative(_ path: String, to folder: String) -> String? {
        let start = folder == "/" ? "/" : folder + "/"
        guard path.utf8.starts(with: start.utf8), path.utf8.count > start.utf8.count else {
            return nil
        }
        return String(decoding: path.utf8.dropFirst(start.utf8.count), as: UTF8.self)
    }
}
