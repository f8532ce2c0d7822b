import JSON
import Records
import Shell
import Testing

@Suite struct `Reading delimited files` {
    /// Every record as its line and cells, errors in their places.
    private func read(
        _ text: [UInt8], _ dialect: DelimitedReader.Dialect = .comma, step: Int = .max
    ) throws -> (header: [String]?, rows: [String]) {
        let reader = DelimitedReader(dialect, MemorySource(text, step: step))
        let header = try reader.header()
        var rows: [String] = []
        while true {
            do throws(ShellError) {
                guard try reader.next() else { return (header, rows) }
                var cells: [String] = []
                for index in 0..<reader.count { cells.append(try reader.text(index) ?? "null") }
                rows.append("\(reader.line): \(cells.joined(separator: "|"))")
            } catch {
                rows.append("\(error.line ?? 0)! \(error.message)")
            }
        }
    }

    static let cases: [(String, [String])] = [
        ("a,b\n1,2\n", ["2: 1|2"]), ("a,b\r\n1,2\r\n", ["2: 1|2"]), ("a,b\n1,2", ["2: 1|2"]),
        ("\u{FEFF}a,b\n1,2\n", ["2: 1|2"]), ("a,b\n,\"\"\n", ["2: null|"]),
        ("a,b\n\"x, \"\"y\"\"\",\"1\n2\"\nz,3\n", ["2: x, \"y\"|1\n2", "4: z|3"]),
        ("a,b\n\n1,2\n\r\n3,4\n\n", ["3: 1|2", "5: 3|4"]),
        ("a\n1\n\n2\n", ["2: 1", "3: null", "4: 2"]),
        (
            "a,b\n1\n1,2,3\n4,5\n",
            [
                "2! 1 cell where the header has 2", "3! 3 cells where the header has 2", "4: 4|5",
            ]
        ),
        (
            "a,b\n1,x\"y\n3,4\n",
            ["2! a quote inside a cell that does not begin with one", "3: 3|4"]
        ),
        ("a,b\n1,\"x\"y\n3,4\n", ["2! text after a closing quote", "3: 3|4"]),
        ("a,b\n1,2\n3,\"4\n5,6\n", ["2: 1|2", "3! a quoted cell is never closed"]),
        ("a,b\n é , 日本\n", ["2:  é | 日本"]),
        ("a,b\n1,2\"", ["2! a quote inside a cell that does not begin with one"]),
        ("a,b\n\"1\"\r\n", ["2! 1 cell where the header has 2"]), ("a,b\n\"\",\"\"\r\n", ["2: |"]),
        ("a,b\n1,\r2\n", ["2: 1|\r2"]), ("a,b", []), ("a,b\n1,\"\"\"\"\n", ["2: 1|\""]),
    ]

    @Test(arguments: cases) func `follows RFC 4180`(_ text: String, _ rows: [String]) throws {
        for step in [1, 2, 3, 7, .max] {
            let result = try read(Array(text.utf8), step: step)
            #expect(result.rows == rows)
            #expect(result.header?.first == "a")
        }
    }

    @Test func `an empty file has no header`() throws {
        #expect(try read([]).header == nil)
    }

    @Test func `refuses what is not UTF-8 and goes on`() throws {
        let result = try read(Array("a,b\n1,".utf8) + [0xFF, 0x0A] + Array("3,4\n".utf8))
        #expect(result.rows == ["2! cell 2 is not UTF-8", "3: 3|4"])
    }

    @Test func `reads tab-separated files as list writes them`() throws {
        let text = "a\tb\n1\tx\\ty\\n\\\\\\q\n\t\"q\"\r\n"
        #expect(try read(Array(text.utf8), .tab).rows == ["2: 1|x\ty\n\\\\q", "3: null|\"q\""])
    }

    @Test func `records larger than the window are read, endless ones refused`() throws {
        let long = String(repeating: "x", count: 1 << 20)
        #expect(try read(Array("a,b\n1,\(long)\n".utf8)).rows == ["2: 1|\(long)"])
        let endless = Array("a\n\"".utf8) + [UInt8](repeating: 0x78, count: 17 << 20)
        #expect(try read(endless).rows == ["2! a record is larger than 16 MiB"])
    }
}

@Suite struct `Rows of a delimited file as records` {
    private let model = Model(
        name: "Post",
        fields: [
            Field("id", .scalar(.id), isRequired: true), Field("title", .scalar(.string)),
            Field("rating", .scalar(.int)), Field("tags", .scalar(.string), isList: true),
            Field("authorID", .scalar(.id)),
        ],
        relations: [
            Relation(
                name: "author", kind: .belongsTo, model: "Author", fields: ["authorID"],
                references: ["id"])
        ])

    private func records(_ text: String, map: [Pair] = []) throws -> [String] {
        let source = try ImportSource(
            format: nil, path: "posts.csv", MemorySource(Array(text.utf8)))
        let reader = try source.records(of: model, in: Schema(models: [model]), map: map)
        var result: [String] = []
        while true {
            do throws(ShellError) {
                guard let record = try reader.next() else { return result }
                result.append(JSONValue.object(record).serialized())
            } catch {
                result.append("\(error.line ?? 0)! \(error.message)")
            }
        }
    }

    @Test func `are coerced by the type of their field`() throws {
        #expect(
            try records("id,title,rating,tags\na,12,12,\"[\"\"x\"\"]\"\n,,,\nb,\"\",x,\nc,1,2,[\n")
                == [
                    #"{"id":"a","title":"12","rating":12,"tags":["x"]}"#,
                    #"{"title":null,"rating":null,"tags":null}"#,
                    #"4! rating: "x" is no Int"#, #"5! tags: "[" is no [String]"#,
                ])
    }

    @Test func `may have columns that are named otherwise or left out`() throws {
        #expect(
            try records(
                "key,Name,junk,author\n1,T,x,9\n",
                map: [Pair("key", "id"), Pair("Name", "title"), Pair("junk", "")])
                == [#"{"id":"1","title":"T","author":"9"}"#])
    }

    @Test(
        arguments: [
            ("id,titel\n", [], "Post has no field \"titel\", the name of a column"),
            ("id,id\n", [], "two columns are named \"id\""),
            ("id,x\n", [Pair("y", "title")], "--map: there is no column \"y\""),
            ("id,\n", [], "Post has no field \"\", the name of a column"),
        ] as [(String, [Pair], String)])
    func `need a column's field`(_ text: String, _ map: [Pair], _ message: String) {
        let error = #expect(throws: ShellError.self) { try records(text, map: map) }
        #expect(error?.message == message)
        #expect(error?.line == 1 && error?.kind == .input)
    }

    @Test func `come back from what list writes`() throws {
        let rows: [[JSONValue]] = [
            ["a", "x, \"y\"\n\r\t\\ ", 1, ["p", "q"], nil], ["b", " ", nil, nil, "z"],
        ]
        for format in [OutputFormat.csv, .tsv, .json, .ndjson] {
            let memory = MemoryOutput()
            var sink = Listing(format: format).rows(to: memory)
            try sink.begin(
                model.fields.enumerated().map { Column($1.name, .value($0)) })
            for row in rows { try sink.row(ValuesRow(row)) }
            try sink.end()
            let source = try ImportSource(
                format: .init(rawValue: format.rawValue), path: nil, MemorySource(memory.bytes))
            let reader = try source.records(of: model, in: Schema(models: [model]))
            for row in rows { #expect(try reader.next()?.pairs.map(\.value) == row) }
            #expect(try reader.next() == nil)
        }
    }
}
