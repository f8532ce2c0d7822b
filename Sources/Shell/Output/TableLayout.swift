/// Shares the columns of a terminal among the columns of a table.
struct TableLayout: Equatable {
    /// The width of each column shown; those after the last are left out.
    var widths: [Int]

    static let gap = 2
    /// Below this a cut column says nothing: later columns are left out instead.
    private static let least = 8

    /// Shares what is available.
    ///
    /// - Parameters:
    ///   - natural: The width each column would like.
    ///   - keys: Columns that are cut only beyond two thirds of the available width.
    ///   - available: The width of the terminal; nil cuts nothing.
    init(natural: [Int], keys: [Bool], available: Int?) {
        widths = natural
        guard let available else { return }
        for count in stride(from: natural.count, through: 1, by: -1) {
            let room = available - Self.gap * (count - 1)
            let firsts = Array(natural.prefix(count))
            widths = Self.share(room, among: firsts, keys: keys)
            let isReadable = zip(widths, firsts).allSatisfy { $0 >= min($1, Self.least) }
            if isReadable { return }
        }
    }

    /// Cuts the widest columns first: all that are cut become equally wide.
    private static func share(_ room: Int, among natural: [Int], keys: [Bool]) -> [Int] {
        guard natural.reduce(0, +) > room else { return natural }
        let kept = zip(natural, keys).map { $1 && $0 <= room * 2 / 3 ? $0 : 0 }
        let shared = natural.indices.filter { kept[$0] == 0 }
        var rest = room - kept.reduce(0, +)
        guard !shared.isEmpty, rest > 0 else { return natural.map { min($0, max(room, 1)) } }
        var widths = kept
        var takers = shared.count
        for index in shared.sorted(by: { natural[$0] < natural[$1] }) {
            widths[index] = min(natural[index], max(rest / takers, 1))
            rest -= widths[index]
            takers -= 1
        }
        return widths
    }
}
