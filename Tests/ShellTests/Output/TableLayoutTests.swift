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
        let layout = TableLayout(
            natural: natural, keys: natural.indices.map { keys.contains($0) }, available: available)
        #expect(layout.widths == widths)
    }
}
