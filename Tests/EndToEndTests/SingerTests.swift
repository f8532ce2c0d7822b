import JSON
import Platform
import Testing

@Suite(.timeLimit(.minutes(15))) struct `The singer backend` {
    let taps: SingerTaps

    init() throws { taps = try SingerTaps() }

    @Test func `passes the conformance kit with taps of both makes`() throws {
        let pets = #"[{"id":1,"name":"Rex"},{"id":2,"name":"Tom"},{"id":3,"name":"Kit"}]"#
        for settings in [try taps.csv(), try taps.generated(pets)] {
            let kit = try taps.run(
                ["plugin", "test", SingerTaps.plugin, "--level", "read"] + settings)
            #expect(kit.code == 0, "\(kit)")
            #expect(kit.errors.contains("11 ok, 0 failed, 1 skipped"), "\(kit)")
        }
        try taps.expectNothingLeft()
    }

    @Test func `brings the records of a CSV file, then what changed in it`() throws {
        try taps.workspace(try taps.csv())
        #expect(try taps.home.read("schema.graphql").contains("type People @model"))
        #expect(try taps.json("sync")["pulled"] == 3)
        let list = ["list", "People", "sort", "id", "fields", "id,name,score", "-o", "csv"]
        #expect(try taps.run(list).output == (try taps.home.read("data/people.csv")))
        try taps.home.write("data/people.csv", "id,name,score\n1,Ann,9\n2,Bob,4\n4,Dan,1\n")
        #expect(try taps.json("sync")["complete"] == true)
        let ids = try taps.run(["list", "People", "sort", "id", "-o", "id"]).output
        // The tap tells what changed, not what went: that is for a full pull.
        #expect(ids == "1\n2\n3\n4\n")
        #expect(try taps.json("get", "People", "1")["score"] == "9")
        #expect(try taps.json("sync", "--full")["deleted"] == 1)
        #expect(try taps.run(list).output == (try taps.home.read("data/people.csv")))
        try taps.expectNothingLeft()
    }

    @Test func `goes on from the tap's state`() throws {
        try taps.workspace(try taps.csv())
        #expect(try taps.json("sync")["pulled"] == 3)
        // Older than the tap's bookmark, the file is not read again.
        try taps.home.write("data/people.csv", "id,name,score\n1,Ann,3\n2,Bob,4\n3,Cid,6\n")
        #expect(try taps.home.shell("touch -d 2020-01-01 data/people.csv").code == 0)
        #expect(try taps.json("sync")["pulled"] == 0)
        #expect(try taps.json("get", "People", "3")["score"] == "5")
        #expect(try taps.json("sync", "--full")["complete"] == true)
        #expect(try taps.json("get", "People", "3")["score"] == "6")
    }

    @Test func `reads a tap without state whole, and removes what it has no more`() throws {
        try taps.workspace(
            try taps.generated(#"[{"id":1,"name":"Rex"},{"id":2,"name":"Tom"}]"#))
        #expect(try taps.json("sync")["pulled"] == 2)
        try taps.write(pets: #"[{"id":1,"name":"Max"},{"id":3,"name":"Kit"}]"#)
        let second = try taps.json("sync")
        #expect(second["pulled"] == 2)
        #expect(second["deleted"] == 1)
        // That is how it is with such a tap, and no news.
        let third = try taps.run(["sync"])
        #expect(third.code == 0 && !third.errors.contains("again"), "\(third)")
        let names = try taps.run(["list", "Pets", "sort", "id", "fields", "id,name", "-o", "csv"])
        #expect(names.output == "id,name\n1,Max\n3,Kit\n")
    }

    @Test func `reads JSON lines with nested values`() throws {
        try taps.home.write(
            "notes.jsonl",
            #"{"id":"n1","tags":["a"],"home":{"city":"Oslo"},"score":1.5,"big":9007199254740993}"#
                + "\n")
        try taps.workspace(
            taps.settings(
                "tap=\(try SingerTaps.tap("tap-jsonl"))",
                #"tap_config={"path":"notes.jsonl","primary_keys":["id"],"stream_name":"notes"}"#,
                "models=notes=Note"))
        #expect(try taps.json("sync")["pulled"] == 1)
        let note = try taps.json("get", "Note", "n1")
        #expect(note["home"] == #"{"city":"Oslo"}"#)
        #expect(note["tags"] == #"["a"]"#)
        #expect(note["score"] == .double(1.5))
        #expect(note["big"] == 9_007_199_254_740_993)
    }

    @Test func `says of a change that the backend takes none`() throws {
        try taps.workspace(try taps.csv())
        let early = try taps.run(["create", "People", "id=8", "name=Early"])
        #expect(early.code == 0, "\(early)")
        let sync = try taps.run(["sync"])
        #expect(sync.code == 3, "\(sync)")
        #expect(sync.errors.contains("read-only"), "\(sync)")
        #expect(sync.errors.contains("satchel queue drop all"), "\(sync)")
        let late = try taps.run(["update", "People", "1", "name=Anna"])
        #expect(late.code == 0, "\(late)")
        #expect(late.errors.contains("read-only"), "\(late)")
        #expect(late.errors.contains("satchel undo"), "\(late)")
        #expect(try taps.run(["queue", "drop", "all", "--yes"]).code == 0)
        #expect(try taps.json("sync")["complete"] == true)
        #expect(try taps.json("get", "People", "1")["name"] == "Ann")
    }
}
