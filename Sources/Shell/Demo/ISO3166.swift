internal import JSON
internal import Platform

/// The countries of the world and their subdivisions, from the files of Debian's package iso-codes.
struct ISO3166 {
    /// Records of the models Country and Subdivision, as `StarterSchema.iso3166` has them; a
    /// subdivision comes after the one it is a part of.
    let countries: [JSONObject]
    let subdivisions: [JSONObject]

    /// Reads the files from the system's data folders.
    ///
    /// - Throws: Kind `.failed` where the package is not installed, `.input` for files that are not
    ///   as they should be.
    static func read(_ environment: Environment) throws(ShellError) -> ISO3166 {
        let folder = try folder(environment)
        return try ISO3166(
            countries: entries("3166-1", in: Path.join(folder, countryFile)),
            subdivisions: entries("3166-2", in: Path.join(folder, subdivisionFile)))
    }

    /// Takes the entries of `iso_3166-1.json` and `iso_3166-2.json`.
    init(countries: [JSONObject], subdivisions: [JSONObject]) throws(ShellError) {
        self.countries = countries.map { $0.keeping(Self.countryFields) }
        var places: [String: Int] = [:]
        for (place, entry) in subdivisions.enumerated() {
            if let code = entry["code"]?.text { places[code] = place }
        }
        var records: [JSONObject] = []
        for entry in subdivisions {
            guard let code = entry["code"]?.text,
                let country = code.split(separator: "-", maxSplits: 1).first.map(String.init)
            else { throw ShellError(.input, "\(Self.subdivisionFile): an entry has no code") }
            var record = entry.keeping(["code", "name", "type"])
            record.append("country_code", .string(country))
            if let parent = entry["parent"]?.text {
                // Releases differ in whether the country's code stands before the parent's.
                let whole = "\(country)-\(parent)"
                record.append("parent_code", .string(places[parent] == nil ? whole : parent))
            }
            records.append(record)
        }
        self.subdivisions = Self.parentsFirst(records, places)
    }

    private static let countryFile = "iso_3166-1.json"
    private static let subdivisionFile = "iso_3166-2.json"
    private static let countryFields = [
        "alpha_2", "alpha_3", "numeric", "name", "official_name", "common_name", "flag",
    ]
}

extension ISO3166 {
    private static func folder(_ environment: Environment) throws(ShellError) -> String {
        // https://specifications.freedesktop.org/basedir-spec/latest/
        let listed = environment["XDG_DATA_DIRS"].flatMap { $0.isEmpty ? nil : $0 }
        let roots = (listed ?? "/usr/local/share:/usr/share").split(separator: ":").map(String.init)
            .filter(Path.isAbsolute)
        for root in roots {
            let folder = Path.join(root, "iso-codes/json")
            if Files.exists(Path.join(folder, countryFile)) { return folder }
        }
        throw ShellError(
            .failed,
            "the demo's data is not installed: no iso-codes/json/\(countryFile) in "
                + roots.joined(separator: ", "),
            hint: "sudo apt-get install iso-codes")
    }

    private static func entries(
        _ key: String, in path: String
    ) throws(ShellError) -> [JSONObject] {
        let bytes: [UInt8]
        do throws(SystemError) { bytes = try Files.read(path, limit: 64 << 20) } catch {
            throw ShellError(error)
        }
        let value: JSONValue
        do throws(JSONError) { value = try JSONValue.parse(bytes) } catch {
            throw ShellError(error, in: path)
        }
        let entries = (value[key]?.elements ?? []).compactMap(\.members)
        guard !entries.isEmpty else {
            throw ShellError(.input, "\(path) has no entries under \"\(key)\"")
        }
        return entries
    }

    /// The records with each after the one it is a part of, else in their order.
    private static func parentsFirst(
        _ records: [JSONObject], _ places: [String: Int]
    ) -> [JSONObject] {
        var order: [JSONObject] = []
        var isTaken = [Bool](repeating: false, count: records.count)
        func take(_ place: Int) {
            if isTaken[place] { return }
            isTaken[place] = true
            if let parent = records[place]["parent_code"]?.text, let above = places[parent] {
                take(above)
            }
            order.append(records[place])
        }
        for place in records.indices { take(place) }
        return order
    }
}

extension JSONObject {
    /// The members of these keys that are there, in this order.
    fileprivate func keeping(_ keys: [String]) -> JSONObject {
        JSONObject(keys.compactMap { key in self[key].map { (key, $0) } })
    }
}
