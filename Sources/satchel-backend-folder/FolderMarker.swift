internal import JSON
internal import Platform

/// What makes a directory a folder of records: `satchel-folder.json`.
struct FolderMarker: Equatable {
    /// Names the data set for ever.
    var identity: String
    /// Names its history: cursors of another one are refused.
    var epoch: String
    /// Capitals in file names are encoded: the file system does not tell them from small letters.
    var foldsCase: Bool

    static let file = "satchel-folder.json"
    private static let format: Int64 = 1

    /// A marker for a new folder.
    static func new(foldsCase: Bool) -> FolderMarker {
        FolderMarker(
            identity: "folder-\(RandomBytes.hexadecimal(count: 16))",
            epoch: RandomBytes.hexadecimal(count: 8), foldsCase: foldsCase)
    }

    init(identity: String, epoch: String, foldsCase: Bool) {
        self.identity = identity
        self.epoch = epoch
        self.foldsCase = foldsCase
    }

    /// Why a marker cannot be followed.
    struct Broken: Error, Equatable {
        var message: String
    }

    init(_ bytes: [UInt8]) throws(Broken) {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue.parse(bytes)
        } catch {
            throw Broken(message: error.message)
        }
        guard let format = value["format"]?.integer else {
            throw Broken(message: "it has no format")
        }
        guard format <= Self.format else {
            throw Broken(message: "it is of format \(format), made by a newer Satchel")
        }
        guard let identity = value["identity"]?.text, let epoch = value["epoch"]?.text,
            !identity.isEmpty
        else { throw Broken(message: "it has no identity or no epoch") }
        self.init(
            identity: identity, epoch: epoch, foldsCase: value["names"] == "folded")
    }

    var content: [UInt8] {
        var object = JSONObject([
            ("format", .int(Self.format)), ("identity", .string(identity)),
            ("epoch", .string(epoch)),
        ])
        if foldsCase { object.append("names", "folded") }
        return Array((JSONValue.object(object).prettyPrinted() + "\n").utf8)
    }
}
