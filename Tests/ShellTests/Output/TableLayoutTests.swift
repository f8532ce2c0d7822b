import Testing

@testable import Shell

@Suite struct `The widths of a table's columns` {
    @Test(
        arguments: [
            // Natural widths, which are keys, the terminal, what comes out.
            ([5, 10], [], nil, [5, 10]), ([5, 10], [], 17, [5, 10]), ([5, 30], [], 27, [5, 20]),
            ([30, 30, 4], [], 48, [20, 20, 4]), ([36, 60, 6], [0], 80, [36, 34, 6]),
            ([36, 23, 6, 5], [0], 60, [36, 14, 6]), ([36, 23], [0], 40, [19, 19]),
            ([36], [0], 20, [20]),
            ([9, 9, 9], [], 12, [9]), ([5, 5, 5], [], 12, [5, 5]), ([100], [], 3, [3]),
        ] as [([Int], [Int], Int?, [Int])])
    func `share what there is`(
        _ natural: [Int], _ keys: [Int], _ available: Int?, _ widths: [Int]
    ) {
        let columns = natural.indices.map { Column("c", .value($0), isKey: keys.contains($0)) }
        let layout = TableLayout(natural: natural, columns: columns, available: available)
        #expect(layout.widths.compactMap(\.self) == widths)
        #expect(layout.widths.prefix(widths.count).allSatisfy { $0 != nil })
    }

    /// A number, a word, an id, details, and what the table is looked at for.
    static let columns = [
        Column("n", .value(0), isKey: true), Column("kind", .value(1)),
        Column("id", .value(2), isElided: true), Column("fields", .value(3), weight: .light),
        Column("error", .value(4), weight: .telling),
    ]

    @Test(
        arguments: [
            ([2, 6, 36, 5, 12], 80, [2, 6, 36, 5, 12]),
            // The id gives way as far as need be, then the widest.
            ([2, 6, 36, 5, 30], 80, [2, 6, 29, 5, 30]),
            ([2, 6, 36, 5, 60], 80, [2, 6, 11, 5, 48]),
            ([2, 6, 36, 40, 60], 80, [2, 6, 11, 26, 27]),
            // Details go before the reason.
            ([2, 6, 36, 40, 60], 60, [2, 6, 11, nil, 35]),
            ([2, 6, 4, 40, 60], 40, [2, 6, 4, nil, 22]),
            ([2, 6, 36, 40, 60], 40, [2, 6, nil, nil, 28]),
            ([2, 6, 36, 5, 60], 20, [2, nil, nil, nil, 16]),
        ] as [([Int], Int, [Int?])])
    func `go to what tells most`(_ natural: [Int], _ available: Int, _ widths: [Int?]) {
        let layout = TableLayout(natural: natural, columns: Self.columns, available: available)
        #expect(layout.widths == widths)
    }

    @Test func `leave of an id its end`() {
        let id = "0190c2a4-7d1e-7abc-8def-0123456789ab"
        let cases = [
            (36, id), (20, "0190c2a4-7…3456789ab"), (13, "0190…456789ab"), (11, "01…456789ab"),
            (6, "0…89ab"), (3, "01…"),
        ]
        for (width, text) in cases {
            #expect(id.elided(toWidth: width) == text)
            #expect(text.displayWidth <= width)
        }
        #expect("日本語日本語".elided(toWidth: 7).displayWidth <= 7)
    }
}
