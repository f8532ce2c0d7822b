import Records
import Testing

@testable import satchel_backend_folder

@Suite struct `The file names of records` {
    struct Name: CustomTestStringConvertible {
        var id: String
        var file: String
        var folded: String?
        var testDescription: String { id.isEmpty ? "the empty id" : String(id.prefix(20)) }
    }

    static let table = [
        Name(id: "FR", file: "FR.json", folded: "%46%52.json"),
        Name(
            id: "0190c2a0-77f0-7c3a-8000-1a2b3c4d5e6f",
            file: "0190c2a0-77f0-7c3a-8000-1a2b3c4d5e6f.json"),
        Name(id: "a/b", file: "a%2Fb.json"),
        Name(id: ".", file: "%2E.json"),
        Name(id: "..", file: "%2E..json"),
        Name(id: ".hidden", file: "%2Ehidden.json"),
        Name(id: "v1.2", file: "v1.2.json"),
        Name(id: "", file: "%.json"),
        Name(id: "%", file: "%25.json"),
        Name(id: "a+b", file: "a%2Bb.json"),
        Name(id: "a\0b", file: "a%00b.json"),
        Name(id: "a b\n", file: "a%20b%0A.json"),
        Name(id: "é", file: "%C3%A9.json"),
        Name(id: "e\u{301}", file: "e%CC%81.json"),
        Name(id: "[\"c1\",7]", file: "%5B%22c1%22%2C7%5D.json"),
        Name(id: "x.json", file: "x.json.json"),
        Name(
            id: String(repeating: "a", count: 250),
            file: String(repeating: "a", count: 250) + ".json"),
    ]

    @Test(arguments: table) func `can be read back`(_ name: Name) {
        for (folds, file) in [(false, name.file), (true, name.folded ?? name.file)] {
            let names = FolderName(foldsCase: folds)
            #expect(names.file(for: RecordID(name.id)) == file)
            #expect(names.meaning(of: file) == .id(RecordID(name.id)))
        }
    }

    @Test(arguments: [
        ".new.json", "x.json~", "x.txt", "x", ".json", "a%2fb.json", "%41.json", "a%.json",
        "a%2.json", "%FF.json", "a b.json", "é.json",
    ]) func `leave out what the folder does not write`(_ file: String) {
        #expect(FolderName(foldsCase: false).meaning(of: file) == .foreign)
    }

    @Test(arguments: [String(repeating: "a", count: 251), String(repeating: "é/", count: 300)])
    func `are cut short for long ids, and stay different`(_ id: String) {
        let names = FolderName(foldsCase: false)
        let file = names.file(for: RecordID(id))
        #expect(file.utf8.count <= 255)
        #expect(names.meaning(of: file) == .inside)
        #expect(file != names.file(for: RecordID(id + "a")))
    }

    @Test(arguments: ["Post", "_x", "A1"]) func `know a model's name`(_ name: String) {
        #expect(FolderName.isModel(name))
    }

    @Test(arguments: ["", "..", "a/b", "log.ndjson", "1a", "a-b", "é", ".satchel-folder"])
    func `refuse what could be another file`(_ name: String) {
        #expect(!FolderName.isModel(name))
    }
}
