internal import JSON
internal import Platform

/// Where an Amplify project keeps the text of its models.
struct AmplifySchema {
    /// The files, in the order in which they are read.
    let files: [String]

    /// The name that it has in messages.
    var name: String { files.count == 1 ? files[0] : Path.parent(files[0]) }

    /// What holds the APIs of a Gen 1 project, seen from its root.
    private static let apis = "amplify/backend/api"
    /// Folders that the root may be above the configuration's.
    private static let levels = 6
    private static let mostDeep = 5

    /// Looks for it: beside the configuration, or in the project, whose root may be some folders up.
    ///
    /// - Parameters:
    ///   - folder: The configuration's.
    ///   - api: The API that is meant; nil for the only one.
    ///   - isWhole: True where the configuration tells the models itself: then only a text that was put
    ///     beside it is one of its own.
    /// - Returns: Nil where there is none.
    /// - Throws: Kind `.usage` for several APIs of which none is named.
    static func find(
        beside folder: String, of api: String?, isWhole: Bool
    ) throws(ShellError) -> AmplifySchema? {
        let plain = Path.normalise(Path.join(folder, "schema.graphql"))
        if Files.exists(plain) { return AmplifySchema(files: [plain]) }
        if isWhole { return nil }
        var root = folder
        for _ in 0..<levels {
            let apis = Path.normalise(Path.join(root, apis))
            let found = names(in: apis).compactMap { name in
                AmplifySchema(of: Path.join(apis, name)).map { (name: name, schema: $0) }
            }
            if !found.isEmpty { return try choose(found, api, in: apis) }
            root = Path.join(root, "..")
        }
        return nil
    }

    private static func choose(
        _ found: [(name: String, schema: AmplifySchema)], _ api: String?, in folder: String
    ) throws(ShellError) -> AmplifySchema? {
        if let api { return found.first { $0.name.sameBytes(as: api) }?.schema }
        guard found.count == 1 else {
            let names = found.map(\.name).joined(separator: ", ")
            throw .usage("\(folder) has several APIs: \(names)", hint: "--set api=NAME")
        }
        return found[0].schema
    }

    /// The schema of one API: a file, or all that are in the folder `schema`; nil where there is none.
    private init?(of api: String) {
        let plain = Path.join(api, "schema.graphql")
        let files =
            Files.exists(plain) ? [plain] : Self.texts(in: Path.join(api, "schema"), deep: 0)
        if files.isEmpty { return nil }
        self.files = files
    }

    private init(files: [String]) { self.files = files }

    private static func texts(in folder: String, deep: Int) -> [String] {
        guard deep < mostDeep else { return [] }
        return names(in: folder).flatMap { name in
            let path = Path.join(folder, name)
            if Files.isDirectory(path) { return texts(in: path, deep: deep + 1) }
            return name.hasSuffix(".graphql") ? [path] : []
        }
    }

    /// What a folder holds, sorted, but for what is hidden; nothing where it is none.
    private static func names(in folder: String) -> [String] {
        do throws(SystemError) {
            return try Files.list(folder).filter { !$0.hasPrefix(".") }.sorted()
        } catch {
            return []
        }
    }
}
