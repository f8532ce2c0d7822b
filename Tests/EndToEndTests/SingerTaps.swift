import JSON
import Platform
import Testing

/// A home with taps from PyPI and data for them to read.
struct SingerTaps {
    /// Where the backend is in the sources.
    static let plugins = Path.normalise(Path.join(Path.parent(#filePath), "../../plugins"))
    static let plugin = Path.join(plugins, "satchel-backend-singer")

    let home: SatchelHome

    init() throws {
        home = try SatchelHome()
        try home.write("data/people.csv", "id,name,score\n1,Ann,3\n2,Bob,4\n3,Cid,5\n")
        try home.write(
            "csv.json", #"{"filesystem":"local","path":"data","read_mode":"one_stream_per_file"}"#)
    }

    /// The program of a tap that `scripts/packages test` installed.
    static func tap(_ name: String) throws -> String {
        let path = Path.normalise(Path.join(plugins, "../.build/servers/bin/\(name)"))
        try #require(Files.exists(path), "the taps are missing: scripts/packages test")
        return path
    }

    /// The settings for people.csv, keyed by its own column.
    func csv() throws -> [String] {
        try settings(
            "tap=\(Self.tap("tap-csv-folder"))", "tap_config=csv.json", "select=false",
            "keys=people=id")
    }

    /// The settings for static records of a tap with neither keys nor state.
    func generated(_ pets: String) throws -> [String] {
        try home.write("gen/repository/none.json", "{}")
        try home.write(
            "gen/schema/pets.json",
            #"{"type":"object","properties":{"id":{"type":"integer"},"name":{"type":"string"}}}"#)
        try write(pets: pets)
        try home.write(
            "gen.json",
            """
            {"schema_dir":"gen/schema","metadata_dir":"gen/repository","static_input_dir":"gen/static",
            "object_repository_dir":"gen/repository","record_number":0,"null_percent":0,
            "apply_record_number_on_pairwise":false,"generate_pairwise_hash":false}
            """)
        return try settings(
            "tap=\(Self.tap("tap-test-data-generator"))", "tap_config=gen.json", "keys=pets=id")
    }

    func write(pets: String) throws {
        try home.write("gen/static/pets.json", #"{"pets":\#(pets)}"#)
    }

    func settings(_ pairs: String...) -> [String] { pairs.flatMap { ["--set", $0] } }

    /// A workspace with the tap's own schema, in the home itself.
    func workspace(_ settings: [String]) throws {
        let made = try run(["init", ".", "--backend", "singer"] + settings)
        try #require(made.code == 0, "\(made)")
        let pulled = try run(["schema", "pull", "--yes"])
        try #require(pulled.code == 0, "\(pulled)")
    }

    func run(_ arguments: [String]) throws -> Ended {
        try home.run(arguments, with: ["SATCHEL_PLUGIN_PATH": Self.plugins])
    }

    /// Runs a command that has to succeed.
    func json(_ arguments: String...) throws -> JSONValue {
        try run(arguments + ["-o", "json"]).json()
    }

    /// Nothing of a tap is left: neither a process nor a file.
    func expectNothingLeft() throws {
        let files = try Files.list(home.path).filter { $0.hasPrefix("satchel-singer-") }
        #expect(files == [])
    }
}
