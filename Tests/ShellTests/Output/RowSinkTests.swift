import JSON
import Platform
import Records
import Shell
import Testing

/// Rows written whole in a format.
func written(
    _ columns: [Column], _ rows: [[JSONValue]], _ change: (inout Listing) -> Void = { _ in },
    as format: OutputFormat, included: [JSONValue] = []
) throws -> String {
    let memory = MemoryOutput()
    var listing = Listing(format: format)
    change(&listing)
    var sink = listing.rows(to: memory)
    try sink.begin(columns)
    for row in rows where sink.wantsRows { try sink.row(ValuesRow(row), included: included) }
    try sink.end(total: rows.count)
    return memory.text
}

@Suite struct `Rows in exact formats` {
    let columns = Column.values("id", "title", "n>")
    let rows: [[JSONValue]] = [
        ["a", "Tea, \"green\"", 1], ["b", "", nil], ["c", nil, .double(1.5)],
        ["d", "x\ny\t\u{1b}", .big("123456789012345678901234567890")],
        ["e", ["x", 1], ["k": nil]],
    ]

    @Test func `json is one array, a row a line`() throws {
        #expect(
            try written(columns, rows, as: .json) == #"""
                [{"id":"a","title":"Tea, \"green\"","n":1},
                {"id":"b","title":"","n":null},
                {"id":"c","title":null,"n":1.5},
                {"id":"d","title":"x\ny\t\u001b","n":123456789012345678901234567890},
                {"id":"e","title":["x",1],"n":{"k":null}}]

                """#)
        #expect(try written(columns, [], as: .json) == "[]\n")
    }

    @Test func `json of a single record is its object`() throws {
        let text = try written(columns, [rows[0]], { $0.isSingle = true }, as: .json)
        #expect(text == #"{"id":"a","title":"Tea, \"green\"","n":1}"# + "\n")
    }

    @Test func `ndjson is an object a line, nothing when empty`() throws {
        #expect(
            try written(columns, Array(rows[1...2]), as: .ndjson) == """
                {"id":"b","title":"","n":null}
                {"id":"c","title":null,"n":1.5}

                """)
        #expect(try written(columns, [], as: .ndjson) == "")
    }

    @Test func `included relations nest in json`() throws {
        let columns =
            Column.values("id") + [Column("author", .included(0)), Column("tags", .included(1))]
        let included: [JSONValue] = [["id": "9", "name": "Ann"], [["id": "t"], ["id": "u"]]]
        #expect(
            try written(columns, [["a"]], as: .ndjson, included: included)
                == #"{"id":"a","author":{"id":"9","name":"Ann"},"tags":[{"id":"t"},{"id":"u"}]}"#
                + "\n")
        #expect(
            try written(columns, [["a"]], as: .tsv, included: included)
                == "id\tauthor\ttags\na\tAnn\t2\n")
        #expect(
            try written(columns, [["a"]], as: .csv, included: included)
                == "id,author,tags\na,\"{\"\"id\"\":\"\"9\"\",\"\"name\"\":\"\"Ann\"\"}\","
                + "\"[{\"\"id\"\":\"\"t\"\"},{\"\"id\"\":\"\"u\"\"}]\"\n")
    }

    @Test func `csv tells null from the empty string`() throws {
        #expect(
            try written(columns, rows, as: .csv) == """
                id,title,n
                a,"Tea, ""green""\",1
                b,"",
                c,,1.5
                d,"x
                y\t\u{1b}",123456789012345678901234567890
                e,"[""x"",1]","{""k"":null}"

                """)
    }

    @Test func `id is a line a record`() throws {
        #expect(try written(Column.values("id"), [["a"], [7]], as: .id) == "a\n7\n")
        #expect(
            try written(Column.values("c", "n"), [["c1", 7]], as: .id) == "[\"c1\",7]\n")
    }

    @Test func `tsv keeps a record on its line and shows controls`() throws {
        #expect(
            try written(columns, rows, as: .tsv) == """
                id\ttitle\tn
                a\tTea, "green"\t1
                b\t\t
                c\t\t1.5
                d\tx\\ny\\t␛\t123456789012345678901234567890
                e\t["x",1]\t{"k":null}

                """)
    }
}

@Suite struct `Rows as a table` {
    let columns = Column.values("id", "title", "n>")

    @Test func `is aligned by display width, numbers at the right`() throws {
        let rows: [[JSONValue]] = [["a", "日本語", 1], ["bbb", "x", 1000], ["c", nil, nil]]
        #expect(
            try written(columns, rows, as: .table) == """
                id   title      n
                a    日本語     1
                bbb  x       1000
                c    null    null

                """)
    }

    @Test func `is cut to the width of the terminal, ids last`() throws {
        let id = "0190c2a4-0000-7000-8000-000000000001"
        let rows: [[JSONValue]] = [
            [.string(id), .string(String(repeating: "long ", count: 20)), 5]
        ]
        var columns = columns
        columns[0].isKey = true
        let text = try written(columns, rows, { $0.width = 80 }, as: .table)
        for line in text.split(separator: "\n") { #expect(String(line).displayWidth <= 80) }
        #expect(text.contains(id))
        #expect(text.contains("long lon… "))
        #expect(try written(columns, rows, as: .table).contains("long long long long long long "))
    }

    @Test func `has no spaces at the end of a line`() throws {
        let text = try written(Column.values("a", "b"), [["x", ""], ["long", "y"]], as: .table)
        #expect(text == "a     b\nx\nlong  y\n")
    }

    @Test func `names the columns there is no room for`() throws {
        let columns = Column.values("alpha", "beta", "gamma", "delta")
        let row = [JSONValue](repeating: "0123456789", count: 4)
        #expect(
            try written(columns, [row], { $0.width = 24 }, as: .table) == """
                alpha       beta
                0123456789  0123456789
                too narrow for: gamma, delta

                """)
    }

    @Test func `shows as many rows as the cap and says how many more`() throws {
        let rows = (1...1500).map { [JSONValue.int(Int64($0))] }
        let text = try written(
            Column.values("n>"), rows,
            {
                $0.width = 80; $0.rowCap = 3
            }, as: .table)
        #expect(
            text
                == """
                n
                1
                2
                3
                … 1,497 more; limit and offset page, -o ndjson shows all

                """)
        let piped = try written(Column.values("n>"), rows, { $0.rowCap = 3 }, as: .table)
        #expect(piped.split(separator: "\n").count == 1501)
    }

    @Test func `says that there is nothing`() throws {
        #expect(
            try written(columns, [], { $0.width = 80 }, as: .table) == "id  title  n\nno records\n")
        #expect(try written(columns, [], as: .table) == "id  title  n\n")
    }

    @Test func `dims nulls and shows secrets masked`() throws {
        let columns = [Column("a", .value(0)), Column("key", .value(1), isSecret: true)]
        let text = try written(
            columns, [[nil, "hunter2"]],
            {
                $0.style = .colored; $0.width = 40
            }, as: .table)
        #expect(
            text == "\u{1b}[1ma\u{1b}[0m     \u{1b}[1mkey\u{1b}[0m\n\u{1b}[2mnull\u{1b}[0m  ••••\n")
        #expect(try written(columns, [[nil, "hunter2"]], as: .json).contains("hunter2"))
    }

    @Test func `is a card for one record on a terminal`() throws {
        let text = try written(
            Column.values("id", "body", "n>"), [["a", "one\ntwo\u{1b}", nil]],
            {
                $0.width = 80; $0.isSingle = true
            }, as: .table)
        #expect(text == "id    a\nbody  one\n      two␛\nn     null\n")
    }
}

@Suite struct `Records as rows` {
    let model = Model(
        name: "Line",
        fields: [
            Field("order", .scalar(.id)), Field("number", .scalar(.int)),
            Field("pin", .scalar(.string), isSecret: true),
        ], key: ["order", "number"])

    private func written(
        _ format: OutputFormat, fields: [Int]? = nil, meta: Bool = false, width: Int? = nil
    ) throws -> String {
        let memory = MemoryOutput()
        var listing = Listing(format: format)
        listing.width = width
        var rows = listing.rows(to: memory)
        try rows.begin(listing.columns(of: model, fields: fields, meta: meta))
        let record = JSONObject([("order", "a"), ("number", 7), ("pin", nil), ("new", true)])
        try rows.row(RecordRow(record, of: model, version: ["v": 1], state: "pending"))
        try rows.end()
        return memory.text
    }

    @Test func `json has unknown fields too, unless fields were chosen`() throws {
        #expect(try written(.ndjson) == #"{"order":"a","number":7,"pin":null,"new":true}"# + "\n")
        #expect(try written(.ndjson, fields: [1]) == #"{"number":7}"# + "\n")
        #expect(
            try written(.ndjson, fields: [1], meta: true)
                == #"{"number":7,"_version":{"v":1},"_state":"pending"}"# + "\n")
    }

    @Test func `other formats have the schema's fields`() throws {
        #expect(
            try written(.csv, meta: true)
                == "order,number,pin,_version,_state\na,7,,\"{\"\"v\"\":1}\",pending\n")
        #expect(try written(.id, meta: true) == "[\"a\",7]\n")
        #expect(try written(.table, width: 80) == "order  number  pin\na           7  null\n")
        #expect(
            try written(.yaml, meta: true) == """
                - order: a
                  number: 7
                  pin: null
                  new: true
                  _version:
                    v: 1
                  _state: pending

                """)
    }
}
