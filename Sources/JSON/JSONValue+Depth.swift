extension JSONValue {
    /// How deep arrays and objects nest: 0 for a scalar, 1 for `[]`, 2 for `[{}]`.
    package var depth: Int {
        var deepest = 0
        var open: [(value: JSONValue, depth: Int)] = [(self, 0)]
        while let (value, depth) = open.popLast() {
            switch value {
            case .array(let elements):
                deepest = max(deepest, depth + 1)
                for element in elements where element.isNested { open.append((element, depth + 1)) }
            case .object(let members):
                deepest = max(deepest, depth + 1)
                for (_, member) in members.pairs where member.isNested {
                    open.append((member, depth + 1))
                }
            default: break
            }
        }
        return deepest
    }

    private var isNested: Bool {
        switch self {
        case .array, .object: true
        default: false
        }
    }
}
