import JSON
import Platform
import Records
import Shell
import Testing

private let now: Int64 = 1_767_323_045_678  // 2026-01-02T03:04:05.678Z

private func listing(_ format: OutputFormat, width: Int? = nil) -> Listing {
    var listing = Listing(format: format)
    listing.width = width
    return listing
}

private func written<Item: Listed>(_ items: [Item], _ format: OutputFormat, width: Int? = nil)
    throws -> String
{
    let memory = MemoryOutput()
    try listing(format, width: width).write(items, to: memory)
    return memory.text
}

private let rejected = Mutation(
    seq: 7, key: "k1", group: "g1", model: "Post", id: RecordID("a1"), kind: .update,
    set: JSONObject([("title", "new"), ("token", "s3cret")]), was: JSONObject([("title", "old")]),
    state: .rejected, attempts: 1,
    failure: .init(kind: "rule", message: "too long\u{1b}", field: "title"),
    createdAt: now - 200_000)

@Suite struct `The queue as shown` {
    @Test func `has the JSON shape that scripts rely on`() throws {
        let waiting = Mutation(
            seq: 8, key: "k2", group: "g2", model: "Post", id: RecordID("b2"), kind: .delete,
            state: .queued, notBefore: now + 5000, createdAt: now)
        #expect(
            try written([QueueEntry(rejected), QueueEntry(waiting)], .json) == #"""
                [{"seq":7,"key":"k1","model":"Post","id":"a1","kind":"update","state":"rejected","set":{"title":"new","token":"s3cret"},"was":{"title":"old"},"attempts":1,"next_attempt_at":null,"error":{"kind":"rule","message":"too long\u001b","field":"title"},"group":"g1","created_at":"2026-01-02T03:00:45.678Z"},
                {"seq":8,"key":"k2","model":"Post","id":"b2","kind":"delete","state":"queued","set":{},"was":{},"attempts":0,"next_attempt_at":"2026-01-02T03:04:10.678Z","error":null,"group":"g2","created_at":"2026-01-02T03:04:05.678Z"}]

                """#)
        #expect(try written([QueueEntry](), .json) == "[]\n")
        #expect(try written([QueueEntry(rejected)], .id) == "7\n")
    }

    @Test func `is a table for people`() throws {
        #expect(
            try written([QueueEntry(rejected)], .table) == """
                seq  state     kind    model  id  fields        error
                  7  rejected  update  Post   a1  title, token  too long␛

                """)
    }

    @Test func `keeps the reason where ids are long and the terminal narrow`() throws {
        var long = rejected
        long.id = RecordID("0190c2a4-7d1e-7abc-8def-0123456789ab")
        long.failure = .init(kind: "rule", message: "title is longer than 80 characters")
        #expect(
            try written([QueueEntry(long)], .table, width: 80) == """
                seq  state     kind    model  id           fields        error
                  7  rejected  update  Post   01…456789ab  title, token  title is longer than 8…

                """)
        #expect(
            try written([QueueEntry(long)], .table, width: 72) == """
                seq  state     kind    model  id           error
                  7  rejected  update  Post   01…456789ab  title is longer than 80 char…
                too narrow for: fields

                """)
        #expect(try written([QueueEntry(long)], .tsv).contains(long.id.text))
    }

    @Test func `says what a change waits for, and what stands in its way`() throws {
        let child = Mutation(
            seq: 8, key: "k2", group: "g2", model: "Comment", id: RecordID("c1"), kind: .create,
            state: .waiting, createdAt: now)
        let entry = QueueEntry(child, waitingFor: [rejected])
        #expect(
            try written([entry], .table) == """
                seq  state    kind    model    id  fields  error
                  8  waiting  create  Comment  c1          waits for 7, update of Post a1 (rejected)

                """)
        #expect(
            entry.text(now: now) == """
                mutation   8 create
                record     Comment c1
                state      waiting
                waits for  7, update of Post a1 (rejected)
                made       just now
                  queue show 7 says what stands in its way

                """)
    }

    @Test func `says of two waits the longer one, with its own reason`() {
        var put = Mutation(
            seq: 8, key: "k2", group: "g2", model: "Post", id: RecordID("b2"), kind: .delete,
            state: .queued, notBefore: now + 60_000, createdAt: now)
        put.failure = Mutation.Failure(kind: "later", message: "its own")
        func reason(_ wait: Int64, _ words: String) -> String {
            let wait = BackendWait(until: now + wait, reason: words)
            return QueueEntry(put, wait: wait, now: now).cells.last?.text ?? ""
        }
        let day: Int64 = 86_400_000
        #expect(reason(3_600_000, "the pause").hasSuffix(" (1 h): the pause"))
        #expect(reason(30_000, "the pause").hasSuffix(" (1 min): its own"))
        #expect(reason(2 * day, "").hasSuffix(" (2 d)"), "\(reason(2 * day, ""))")
    }

    @Test func `shows one entry with its reason and repair, secrets masked`() {
        #expect(
            QueueEntry(rejected).text(secrets: ["token"], now: now) == """
                mutation  7 update
                record    Post a1
                state     rejected
                error     rule (title): too long␛
                attempts  1
                made      3 min 20 s ago
                  title   old → new
                  token   ••••
                  queue edit 7 FIELD=VALUE repairs it, then queue retry
                  queue drop 7 gives it up

                """)
    }
}

@Suite struct `The status as shown` {
    private var status: StatusReport {
        var status = StatusReport(context: "blog", backend: "folder", network: "online", now: now)
        status.queued = 1200
        status.waiting = 1
        status.rejected = 2
        status.oldestQueuedAt = now - 60_000
        status.models = [
            .init(model: "Post", records: 1234, isComplete: true, syncedAt: now - 5000),
            .init(model: "Tag", records: 1, isComplete: false, syncedAt: nil),
        ]
        return status
    }

    @Test func `is one object for programs`() throws {
        let memory = MemoryOutput()
        try listing(.json).write(status, to: memory)
        #expect(
            memory.text
                == #"{"context":"blog","backend":"folder","network":"online","queued":1200,"sending":0,"unknown":0,"waiting":1,"conflicts":0,"rejected":2,"quarantined":0,"oldest_queued_at":"2026-01-02T03:03:05.678Z","last_error":null,"models":[{"model":"Post","records":1234,"complete":true,"synced_at":"2026-01-02T03:04:00.678Z"},{"model":"Tag","records":1,"complete":false,"synced_at":null}],"next_attempt_at":null,"wait_reason":null}"#
                + "\n")
    }

    @Test func `is aligned lines with the next step for people`() throws {
        #expect(
            status.text(.plain) == """
                context     blog
                backend     folder, online
                to deliver  1,200 queued, 1 waiting, the oldest from 1 min ago
                rejected    2 changes
                Post        1,234 records, synced 5 s ago
                Tag         1 record, never synced
                  queue show N says why; queue edit, retry and drop repair

                """)
        let quiet = StatusReport(context: "a", backend: "b", network: "paused", now: now)
        #expect(
            quiet.text(.plain) == """
                context     a
                backend     b, paused
                to deliver  nothing
                  sync resume goes on

                """)
    }

    @Test func `says until when the backend asked to be left alone`() throws {
        var waiting = status
        waiting.wait = BackendWait(until: now + 90_000, reason: "example.com is busy")
        let line = waiting.text(.plain).split(separator: "\n").first { $0.hasPrefix("waits") }
        #expect(line?.hasSuffix("(1 min 30 s), as the backend asked: example.com is busy") == true)
        let memory = MemoryOutput()
        try listing(.json).write(waiting, to: memory)
        #expect(
            memory.text.hasSuffix(
                #""next_attempt_at":"2026-01-02T03:05:35.678Z","wait_reason":"example.com is busy"}"#
                    + "\n"))
    }

    @Test func `says what a sync did`() throws {
        var summary = SyncSummary()
        #expect(summary.text(.plain) == "up to date\n")
        summary.pushed = 3
        summary.rejected = 1
        summary.isComplete = false
        #expect(summary.text(.plain) == "3 pushed, 1 rejected; not caught up\n")
        let memory = MemoryOutput()
        try listing(.ndjson).write(summary, to: memory)
        #expect(
            memory.text
                == #"{"pushed":3,"pulled":0,"deleted":0,"conflicts":0,"rejected":1,"waiting":0,"remaining":0,"complete":false}"#
                + "\n")
        let tsv = MemoryOutput()
        try listing(.tsv).write(summary, to: tsv)
        #expect(
            tsv.text == """
                pushed\tpulled\tdeleted\tconflicts\trejected\twaiting\tremaining\tcomplete
                3\t0\t0\t0\t1\t0\t0\tfalse

                """)
    }
}

@Suite struct `Conflicts as shown` {
    private let conflict = ConflictView(
        RecordKey("Post", RecordID("a1")),
        fields: [
            .init(field: "title", base: "old", local: "mine", remote: "theirs"),
            .init(field: "pin", base: nil, local: "1", remote: "2"),
        ], kind: .field)

    @Test func `have the JSON shape that scripts rely on`() throws {
        #expect(
            try written([conflict], .json)
                == #"[{"model":"Post","id":"a1","fields":[{"field":"title","base":"old","local":"mine","remote":"theirs"},{"field":"pin","base":null,"local":"1","remote":"2"}],"kind":"field","reason":null}]"#
                + "\n")
    }

    @Test func `stand side by side`() throws {
        let memory = MemoryOutput()
        try conflict.show(listing(.table, width: 80), secrets: ["pin"], to: memory)
        #expect(
            memory.text == """
                Post a1: both sides changed it
                field  base  local  remote
                title  old   mine   theirs
                pin    null  ••••   ••••
                  conflicts resolve Post a1 --local | --remote | FIELD=VALUE...

                """)
    }
}

@Suite struct `Conflicts with a deleted record as shown` {
    static let cases: [(ConflictView.Kind, JSONValue, JSONValue, String)] = [
        (
            .editDelete, "mine", nil,
            """
            Post a1: edited here, deleted there
            field  base  local  remote
            title  old   mine   (deleted)
              conflicts resolve Post a1 --local | --remote | FIELD=VALUE...

            """
        ),
        (
            .deleteEdit, nil, "theirs",
            """
            Post a1: deleted here, edited there
            field  base  local      remote
            title  old   (deleted)  theirs
              conflicts resolve Post a1 --local | --remote

            """
        ),
    ]

    @Test(arguments: cases.indices) func `say so, and offer what is taken`(_ index: Int) throws {
        let (kind, local, remote, text) = Self.cases[index]
        let view = ConflictView(
            RecordKey("Post", RecordID("a1")),
            fields: [.init(field: "title", base: "old", local: local, remote: remote)], kind: kind)
        let memory = MemoryOutput()
        try view.show(listing(.table, width: 80), to: memory)
        #expect(memory.text == text)
        let json = try JSONValue.parse(try written([view], .json)).elements?.first?["fields"]
        #expect(json?.elements?.first?["local"] == local)
        #expect(json?.elements?.first?["remote"] == remote)
    }
}

@Suite struct `Other lists as shown` {
    @Test func `the log keeps its times and fields where ids are long`() throws {
        let entry = LogEntry(
            token: "1234", at: now, origin: "remote", kind: "update",
            key: RecordKey("Post", RecordID("0190c2a4-7d1e-7abc-8def-0123456789ab")), group: nil,
            fields: ["title"])
        #expect(
            try written([entry], .table, width: 80) == """
                token  at                        kind    origin  model  id                fields
                1234   2026-01-02T03:04:05.678Z  update  remote  Post   0190c2a…456789ab  title

                """)
    }

    @Test func `the log and the quarantine have their JSON shapes`() throws {
        let entry = LogEntry(
            token: "12", at: now, origin: "remote", kind: "update",
            key: RecordKey("Post", RecordID("a1")), group: nil, fields: ["title"])
        #expect(
            try written([entry], .ndjson)
                == #"{"token":"12","at":"2026-01-02T03:04:05.678Z","origin":"remote","kind":"update","model":"Post","id":"a1","group":null,"fields":["title"]}"#
                + "\n")
        let item = QuarantineView(
            number: 1, model: "Post", id: nil, reason: "no id", receivedAt: now, bytes: 17)
        #expect(
            try written([item], .ndjson)
                == #"{"n":1,"model":"Post","id":null,"reason":"no id","received_at":"2026-01-02T03:04:05.678Z","bytes":17}"#
                + "\n")
        #expect(
            try written([item], .csv)
                == "n,model,id,reason,received_at,bytes\n1,Post,,no id,2026-01-02T03:04:05.678Z,17\n"
        )
    }

    static let events = [
        WatchEvent(
            .snapshot, token: "5", key: RecordKey("Post", RecordID("a1")),
            record: JSONObject([("id", "a1"), ("title", "Tea\u{7}")])),
        WatchEvent(.ready, token: "5"),
        WatchEvent(.delete, token: "6", key: RecordKey("Post", RecordID("a1")), origin: "remote"),
        WatchEvent(.network, token: "6", origin: "offline"),
    ]

    @Test func `watch tells why a change was refused, and of which kind it is`() {
        var mutation = Mutation(
            key: "k", group: "g", model: "Post", id: RecordID("a1"), kind: .update)
        mutation.seq = 7
        mutation.failure = Mutation.Failure(kind: "rule", message: "too\nlong", field: "title")
        let event = WatchEvent(
            .rejected, token: "6", key: RecordKey("Post", RecordID("a1")), origin: "rollback",
            refused: mutation)
        #expect(
            event.json["mutation"] == [
                "seq": 7, "kind": "update",
                "error": ["kind": "rule", "message": "too\nlong", "field": "title"],
            ])
        #expect(event.line() == "! Post a1  (rollback)  update refused: too␊long")
    }

    @Test(
        arguments: [
            (
                .ndjson,
                #"""
                {"token":"5","event":"snapshot","model":"Post","id":"a1","record":{"id":"a1","title":"Tea\u0007"},"origin":null}
                {"event":"ready","token":"5"}
                {"token":"6","event":"delete","model":"Post","id":"a1","record":null,"origin":"remote"}
                {"token":"6","event":"network","model":null,"id":null,"record":null,"origin":"offline"}

                """#
            ),
            (
                .table,
                """
                  Post a1  Tea␇
                watching; q or Ctrl-C ends
                - Post a1  (remote)
                network: offline

                """
            ),
            (.id, "a1\na1\n"),
            (
                .tsv,
                """
                token\tevent\tmodel\tid\trecord\torigin
                5\tsnapshot\tPost\ta1\t{"id":"a1","title":"Tea\\\\u0007"}\t
                5\tready\t\t\t\t
                6\tdelete\tPost\ta1\t\tremote
                6\tnetwork\t\t\t\toffline

                """
            ),
        ] as [(OutputFormat, String)])
    func `watch tells events as they come`(_ format: OutputFormat, _ text: String) throws {
        let memory = MemoryOutput()
        var writer = WatchWriter(listing(format), to: memory)
        for event in Self.events { try writer.write(event) }
        #expect(memory.text == text)
    }
}
