/// Shares the columns of a terminal among the columns of a table.
struct TableLayout: Equatable {
    /// The width of each column; nil for one that is left out.
    private(set) var widths: [Int?]

    static let gap = 2
    /// Below this a cut column says nothing: one is left out instead.
    private static let least = 8
    /// What the table is looked at for wants more.
    private static let leastTelling = 20
    /// The end of an id, which tells it from others, and a little of its beginning.
    private static let leastElided = 11

    /// Shares what is available.
    ///
    /// Columns that can be elided give way first; then the widest of the others, save keys. Where
    /// not all can be read the least telling are left out, of equal ones the last.
    ///
    /// - Parameters:
    ///   - natural: The width each column would like.
    ///   - columns: What each is to who reads it. Keys are cut only beyond two thirds of the
    ///     available width.
    ///   - available: The width of the terminal; nil cuts nothing.
    init(natural: [Int], columns: [Column], available: Int?) {
        widths = natural
        guard let available, !natural.isEmpty else { return }
        var shown = Array(natural.indices)
        while true {
            let lightest = shown.map { columns[$0].weight }.min() ?? .usual
            let wishes = shown.map { Wish(natural[$0], columns[$0], lightest: lightest) }
            let shares = Self.share(available - Self.gap * (shown.count - 1), among: wishes)
            let isReadable = zip(shares, wishes).allSatisfy { $0 >= $1.least }
            if isReadable || shown.count == 1 {
                widths = natural.map { _ in nil }
                for (index, share) in zip(shown, shares) { widths[index] = share }
                return
            }
            let last = shown.lastIndex { columns[$0].weight == lightest }
            shown.remove(at: last ?? shown.count - 1)
        }
    }

    private struct Wish {
        var natural: Int
        let isKey: Bool
        /// What it gives up before any other column is cut.
        let spare: Int
        let least: Int

        init(_ natural: Int, _ column: Column, lightest: Column.Weight) {
            self.natural = natural
            isKey = column.isKey
            spare = column.isElided ? max(natural - TableLayout.leastElided, 0) : 0
            // As long as others can make room for it.
            let tells = column.weight == .telling && !column.isKey && lightest < .telling
            let least =
                column.isElided
                ? TableLayout.leastElided
                : tells ? TableLayout.leastTelling : TableLayout.least
            self.least = min(natural, least)
        }
    }

    private static func share(_ room: Int, among wishes: [Wish]) -> [Int] {
        var excess = wishes.reduce(0) { $0 + $1.natural } - room
        guard excess > 0 else { return wishes.map(\.natural) }
        var natural: [Int] = []
        for wish in wishes {
            let given = min(max(excess, 0), wish.spare)
            natural.append(wish.natural - given)
            excess -= given
        }
        guard excess > 0 else { return natural }
        let keys = wishes.map { $0.isKey || $0.spare > 0 }
        return cut(natural, keys: keys, to: room)
    }

    /// Cuts the widest columns first: all that are cut become equally wide.
    private static func cut(_ natural: [Int], keys: [Bool], to room: Int) -> [Int] {
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
