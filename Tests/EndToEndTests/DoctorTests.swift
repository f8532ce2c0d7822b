import JSON
import Platform
import Testing

/// A fault to plant in a store, and what doctor has to say of it.
struct PlantedFault: CustomTestStringConvertible, Sendable {
    var name: String
    var sql: String
    var check: String
    var says: String
    var code: Int32 = 1

    var testDescription: String { name }
}

/// A store with a clean record, changed and deleted ones, a child that waits for its parent.
private struct Clinic {
    let pair: SharedFolder

    init() throws {
        pair = try SharedFolder()
        for title in ["clean", "edited", "doomed"] {
            try pair.output("a", "create Post title=\(title) tags:='[\"x\"]'")
        }
        try pair.output("a", "sync")
        try pair.output("a", "update Post where 'title = \"edited\"' set rating=3 --yes")
        try pair.output("a", "delete Post where 'title = \"doomed\"' --yes")
        let parent = try pair.output("a", "create Post title=parent")
        try pair.output("a", "create Comment text=child post=\(parent)")
    }

    func sql(_ text: String) throws {
        let run = try pair.home.shell(
            "sqlite3 a/.satchel/default.sqlite \"$SQL\"", with: ["SQL": text])
        try #require(run.code == 0 && run.errors.isEmpty, "\(run)")
    }

    func dump() throws -> String {
        let run = try pair.home.shell("sqlite3 a/.satchel/default.sqlite .dump")
        try #require(run.code == 0, "\(run)")
        return run.output
    }

    func doctor() throws -> (code: Int32, wrong: [JSONValue], all: [JSONValue]) {
        let run = try pair.run("a", "doctor -o json")
        let findings = try JSONValue.parse(run.output).elements ?? []
        return (run.code, findings.filter { $0["ok"] == false }, findings)
    }
}

@Suite struct `What is planted in a store` {
    static let faults = [
        PlantedFault(
            name: "a record that cannot be read",
            sql: "UPDATE Post SET tags = '[' WHERE title = 'clean'",
            check: "records", says: "cannot be read"),
        PlantedFault(
            name: "a changed record that cannot be read",
            sql: "UPDATE Post SET tags = '[' WHERE title = 'edited'",
            check: "records", says: "cannot be read"),
        PlantedFault(
            name: "a record that is not what its changes give",
            sql: "UPDATE Post SET rating = 9 WHERE title = 'edited'",
            check: "records", says: "is not what its base"),
        PlantedFault(
            name: "a new record that is not in view",
            sql: "DELETE FROM Post WHERE title = 'parent'",
            check: "records", says: "is not what its base"),
        PlantedFault(
            name: "a deleted record that is in view",
            sql:
                "INSERT INTO Post (id, title) SELECT id, 'back' FROM mutation WHERE kind = 'delete'",
            check: "records", says: "is not what its base"),
        PlantedFault(
            name: "an update without its base",
            sql: "DELETE FROM base WHERE id IN (SELECT id FROM mutation WHERE kind = 'update')",
            check: "records", says: "is not what its base"),
        PlantedFault(
            name: "a delete without its base",
            sql: "DELETE FROM base WHERE id IN (SELECT id FROM mutation WHERE kind = 'delete')",
            check: "records", says: "not what they change"),
        PlantedFault(
            name: "a base that cannot be read", sql: "UPDATE base SET record = '{'",
            check: "records", says: "is not what its base"),
        PlantedFault(
            name: "a base of nothing", sql: "INSERT INTO base (model, id) VALUES ('Post', 'x')",
            check: "queue", says: "1 base of records without queued changes"),
        PlantedFault(
            name: "a dependency of nothing", sql: "INSERT INTO dependency VALUES (998, 999)",
            check: "queue", says: "1 dependency on changes that are not there"),
        PlantedFault(
            name: "a change that waits for nothing", sql: "DELETE FROM dependency",
            check: "queue", says: "1 change waiting for nothing"),
        PlantedFault(
            name: "a parked change without a reason",
            sql: "UPDATE mutation SET state = 'conflict' WHERE kind = 'update'",
            check: "queue", says: "1 parked change without a reason"),
        PlantedFault(
            name: "a change of an unknown kind",
            sql: "UPDATE mutation SET kind = 'odd' WHERE kind = 'update'",
            check: "records", says: "odd", code: 8),
        PlantedFault(
            name: "a change that cannot be read",
            sql: "UPDATE mutation SET \"set\" = '{' WHERE kind = 'update'",
            check: "records", says: "JSON that cannot be read", code: 8),
        PlantedFault(
            name: "a store without its version", sql: "DELETE FROM meta",
            check: "queue", says: "does not say its version", code: 8),
        PlantedFault(
            name: "a line of the log of an unknown kind",
            sql: "UPDATE change SET kind = 'odd' WHERE seq = 1",
            check: "feed", says: "1 line of the log"),
    ]

    @Test(arguments: faults) func `is found, named and left as it is`(_ fault: PlantedFault) throws
    {
        let clinic = try Clinic()
        try clinic.sql(fault.sql)
        let before = try clinic.dump()
        let (code, wrong, _) = try clinic.doctor()
        #expect(code == fault.code, "\(wrong)")
        let found = wrong.filter { $0["check"]?.text == fault.check }
        #expect(found.contains { $0["detail"]?.text?.contains(fault.says) == true }, "\(wrong)")
        #expect(found.allSatisfy { $0["hint"]?.text?.isEmpty == false }, "\(wrong)")
        #expect(try clinic.dump() == before)
    }

    static let leftovers = [
        PlantedFault(
            name: "a cursor",
            sql: "INSERT INTO cursor VALUES ('Gone', '', NULL, NULL, 1, 1, 0, 0, 0)",
            check: "leftovers", says: "1 × cursor of a model that is gone"),
        PlantedFault(
            name: "a note of a full pull", sql: "INSERT INTO seen VALUES ('Post', 'x')",
            check: "leftovers", says: "1 × record noted"),
        PlantedFault(
            name: "steps of undo",
            sql: """
                INSERT INTO undo_entry VALUES ('g', 1, 'Post', 'x', '{}', NULL);
                INSERT INTO undo_group VALUES ('g', 1, 0, NULL)
                """,
            check: "leftovers", says: "2 × step of undo"),
        PlantedFault(
            name: "quarantined data",
            sql:
                "INSERT INTO quarantine (model, id, raw, reason, received_at) VALUES ('Gone', 'x', '{}', 'odd', 1)",
            check: "leftovers", says: "1 × piece of quarantined data"),
        PlantedFault(
            name: "what was not understood",
            sql:
                "INSERT INTO quarantine (model, id, raw, reason, received_at) VALUES ('Post', 'x', '{}', 'odd', 1)",
            check: "quarantine", says: "1 item not understood"),
        PlantedFault(
            name: "a lease of a dead process",
            sql: "INSERT INTO lease VALUES (1, 'x', 1, 'another boot', 9999999999999)",
            check: "lease", says: "the next sync takes it over"),
    ]

    @Test(arguments: leftovers) func `and does no harm is told as such`(
        _ fault: PlantedFault
    ) throws {
        let clinic = try Clinic()
        try clinic.sql(fault.sql)
        let before = try clinic.dump()
        let (code, wrong, all) = try clinic.doctor()
        #expect(code == 0 && wrong.isEmpty, "\(wrong)")
        let found = all.first { $0["check"]?.text == fault.check }
        #expect(found?["detail"]?.text?.contains(fault.says) == true, "\(all)")
        #expect(try clinic.dump() == before)
    }

    static let repairs = [
        (faults[0], "sync pull Post --full"), (faults[1], "sync"), (faults[2], "sync"),
        (faults[3], "sync"), (faults[4], "sync"), (faults[5], "sync"), (faults[6], "sync"),
        (faults[7], "sync"),
        (
            faults[10],
            "queue retry $(sqlite3 .satchel/default.sqlite "
                + "\"SELECT seq FROM mutation WHERE state = 'waiting'\")"
        ),
    ]

    @Test(arguments: repairs) func `is mended by what doctor says`(
        _ fault: PlantedFault, _ repair: String
    ) throws {
        let clinic = try Clinic()
        let healthy = try Clinic()
        try clinic.sql(fault.sql)
        let mended = try clinic.pair.run("a", repair)
        #expect(mended.code == 0, "\(mended)")
        for pair in [clinic.pair, healthy.pair] { try pair.output("a", "sync") }
        #expect(try clinic.doctor().code == 0)
        // Nothing that was queued is lost: the folder has what it has without the fault.
        let delivered = try [clinic, healthy].map { each in
            try each.pair.output("a", "list Post fields title,rating,tags sort title -o csv")
                + (try each.pair.output("a", "list Comment fields text -o csv"))
        }
        #expect(delivered[0] == delivered[1])
        try clinic.pair.output("b", "sync")
        #expect(try clinic.pair.output("a", "export") == (try clinic.pair.output("b", "export")))
    }
}

@Suite struct `The permissions that doctor looks at` {
    @Test(arguments: [
        (".local/state/satchel/history", UInt32(0o644), "600"),
        (".local/state/satchel/trusted.json", 0o666, "600"),
        (".local/state/satchel/secrets", 0o777, "700"),
        ("a/.satchel", 0o755, "700"), ("a/.satchel/default.sqlite", 0o640, "600"),
    ]) func `are those of everything private`(path: String, mode: UInt32, wanted: String) throws {
        let pair = try SharedFolder()
        try pair.output("a", "create Post title=x")
        if !Files.exists(pair.home.file(path)) {
            if path.hasSuffix("secrets") {
                try Files.makeDirectory(pair.home.file(path))
            } else {
                try pair.home.write(path, path.hasSuffix("json") ? "{}" : "")
            }
        }
        try Files.setMode(pair.home.file(path), mode)
        let run = try pair.run("a", "doctor -o json")
        #expect(run.code == 1, "\(run)")
        #expect(run.output.contains("chmod \(wanted) \(pair.home.file(path))"), "\(run)")
        _ = try pair.home.satchel("doctor", in: "a")
        #expect(try Files.status(pair.home.file(path)).mode == mode)
    }

    @Test func `and a store that is not there is not made`() throws {
        let pair = try SharedFolder()
        try Files.removeTree(pair.home.file("a/.satchel"))
        let run = try pair.run("a", "doctor -o json")
        #expect(run.code == 0 && run.output.contains("there is none yet"), "\(run)")
        #expect(!Files.exists(pair.home.file("a/.satchel")))
    }
}

@Suite struct `What a sync would meet` {
    private func wrong(_ pair: SharedFolder, _ options: String = "") throws -> (Int32, [JSONValue])
    {
        let run = try pair.run("a", "doctor \(options) -o json")
        let all = try JSONValue.parse(run.output).elements ?? []
        return (run.code, all.filter { $0["ok"] == false })
    }

    @Test func `is found by doctor beforehand, with the error of the latest sync`() throws {
        let pair = try SharedFolder()
        try pair.output("a", "sync")
        #expect(try pair.output("a", "doctor").contains("the backend answers"))
        try Files.removeTree(pair.home.file("remote"))
        let (code, found) = try wrong(pair)
        #expect(code == 1 && found.map { $0["check"] } == ["reach"], "\(found)")
        #expect(!Files.exists(pair.home.file("remote")))
        #expect(try wrong(pair, "--offline").0 == 0)
        #expect(try pair.run("a", "sync").code == 6)
        let told = try pair.run("a", "doctor")
        #expect(told.output.contains("the latest one failed: "), "\(told)")
    }

    @Test func `is not made by asking, and not asked while sync is paused`() throws {
        let pair = try SharedFolder()
        try pair.output("a", "create Post title=x")
        #expect(try pair.output("a", "doctor").contains("nothing was synced yet"))
        #expect(!Files.exists(pair.home.file("remote")))
        try pair.output("a", "sync")
        try pair.output("a", "sync pause")
        #expect(try pair.output("a", "doctor").contains("sync is paused"))
    }

    @Test func `has the hooks in it`() throws {
        let pair = try SharedFolder()
        try pair.output("a", "create Post title=x")
        for program in ["./nothere", "./schema.graphql"] {
            try pair.output("a", "config set hooks.before_create \(program)")
            let (code, found) = try wrong(pair)
            #expect(code == 1 && found.map { $0["check"] } == ["programs"], "\(found)")
            #expect(found.first?["detail"]?.text?.contains("hooks.before_create") == true)
        }
    }
}
