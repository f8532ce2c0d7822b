internal import CSystem
internal import Glibc
internal import Platform
internal import Records

/// The directory that holds one model's records.
final class ModelDirectory {
    let descriptor: Descriptor
    let path: String

    init(_ descriptor: consuming Descriptor, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    /// False once the directory was removed: another may stand in its place.
    var isLinked: Bool {
        var info = stat()
        return fstat(descriptor.number, &info) == 0 && info.st_nlink > 0
    }

    /// A file's content; nil when there is none.
    func read(_ file: String) throws(SystemError) -> [UInt8]? {
        let number = openat(descriptor.number, file, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard number >= 0 else {
            if errno == ENOENT { return nil }
            throw SystemError("read \(Path.join(path, file))", code: errno)
        }
        let opened = Descriptor(taking: number)
        var info = stat()
        if fstat(number, &info) == 0, info.st_mode & S_IFMT == S_IFIFO {
            throw SystemError(
                code: EISDIR, message: "cannot read \(Path.join(path, file)): it is a pipe")
        }
        do throws(SystemError) {
            return try Files.readAll(opened.number)
        } catch {
            throw SystemError("read \(Path.join(path, file))", code: error.code)
        }
    }

    /// Moves a finished file in the place of `file`, in one step for every reader.
    func place(_ finished: String, from directory: Int32, as file: String) throws(SystemError) {
        guard renameat(directory, finished, descriptor.number, file) == 0 else {
            throw SystemError("write \(Path.join(path, file))", code: errno)
        }
    }

    /// The version in a file, and nil when it is missing or no record.
    func version(in file: String) throws(SystemError) -> Int64? {
        guard let bytes = try read(file) else { return nil }
        return bytes.withUnsafeBytes { bytes in
            do throws(StoredRecord.Broken) {
                return try StoredRecord(bytes).version
            } catch {
                return nil
            }
        }
    }
}
