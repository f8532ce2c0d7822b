import Platform
import Records
import Storage

/// An empty store of the plain schema, made once: to copy it takes less time than to make another.
enum BlankStore {
    private static let bytes: [UInt8]? = {
        do {
            let folder = try Files.makeTemporaryDirectory(prefix: "satchel-blank-")
            defer { remove(folder) }
            let path = "\(folder)/blank.sqlite"
            let plain = try SchemaVariant.named(.plain)
            let store = try Store(
                path: path, schema: plain.schema, schemaHash: plain.hash,
                options: StoreOptions(isDurable: false))
            try store.checkpoint()
            return try Files.read(path)
        } catch {
            return nil
        }
    }()

    /// Puts a store there; none where it could not be made, and whoever opens it makes it.
    static func put(at path: String) throws {
        if let bytes { try Files.append(bytes, to: path) }
    }

    private static func remove(_ folder: String) {
        do { try Files.removeTree(folder) } catch { return }
    }
}
