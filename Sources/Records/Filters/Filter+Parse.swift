extension Filter {
    /// Reads what follows `where`, for records of `model`; operands are coerced by their fields.
    ///
    /// - Throws: Kind `.syntax`, `.unknown` or `.value`; the message begins with the column.
    package static func parse(_ text: String, model: Model, schema: Schema)
        throws(RecordsError) -> Filter
    {
        var parser = FilterParser(text, model, schema)
        return try parser.parse()
    }
}

/// Recursive descent: `or` binds least, then `and`, then `not`.
struct FilterParser {
    var scanner: FilterScanner
    let model: Model
    let schema: Schema

    /// Parentheses and `not` do not nest deeper.
    private static let maxDepth = 100

    init(_ text: String, _ model: Model, _ schema: Schema) {
        scanner = FilterScanner(text)
        self.model = model
        self.schema = schema
        scanner.skipSpace()
    }

    mutating func parse() throws(RecordsError) -> Filter {
        guard !scanner.isAtEnd else {
            throw scanner.error(0, "it is empty", "write a condition, as in rating >= 3")
        }
        let filter = try disjunction(depth: 0)
        guard scanner.isAtEnd else {
            if scanner.isAt(")") {
                throw scanner.error(scanner.index, "\")\" closes nothing", "remove it")
            }
            throw scanner.error(
                scanner.index, "expected \"and\" or \"or\", found \"\(scanner.rest())\"",
                "a value with spaces needs quotes within the filter")
        }
        return filter
    }

    private mutating func disjunction(depth: Int) throws(RecordsError) -> Filter {
        let first = try conjunction(depth: depth)
        guard scanner.word() == "or" else { return first }
        var parts = [first]
        while scanner.take(word: "or") { parts.append(try conjunction(depth: depth)) }
        return .or(parts)
    }

    private mutating func conjunction(depth: Int) throws(RecordsError) -> Filter {
        let first = try unary(depth: depth)
        guard scanner.word() == "and" else { return first }
        var parts = [first]
        while scanner.take(word: "and") { parts.append(try unary(depth: depth)) }
        return .and(parts)
    }

    private mutating func unary(depth: Int) throws(RecordsError) -> Filter {
        guard depth < FilterParser.maxDepth else {
            throw scanner.error(
                scanner.index, "it nests deeper than \(FilterParser.maxDepth)", "simplify it")
        }
        if scanner.isAt("(") {
            let open = scanner.index
            _ = scanner.take("(")
            let inner = try disjunction(depth: depth + 1)
            guard scanner.take(")") else {
                if scanner.isAtEnd {
                    throw scanner.error(open, "\"(\" is never closed", "add \")\"")
                }
                throw scanner.error(
                    scanner.index,
                    "expected \"and\", \"or\" or \")\", found \"\(scanner.rest())\"",
                    "a value with spaces needs quotes within the filter")
            }
            return inner
        }
        if scanner.take(word: "not") { return .not(try unary(depth: depth + 1)) }
        return try clause()
    }

    private mutating func clause() throws(RecordsError) -> Filter {
        let start = scanner.index
        let names = scanner.path()
        guard !names.isEmpty else {
            if scanner.isAtEnd {
                throw scanner.error(
                    start, "a condition is missing at the end", "add one, or cut it")
            }
            throw scanner.error(
                start, "expected a field, found \"\(scanner.rest())\"",
                "a condition begins with a field, as in rating >= 3")
        }
        if names.count == 1, ["and", "or"].contains(names[0].name.lowercased()),
            model.field(names[0].name) == nil
        {
            throw scanner.error(
                start, "a condition is missing before \"\(names[0].name)\"", "add one, or cut it")
        }
        return try condition(on: try subject(names), names.map(\.name).joined(separator: "."))
    }
}
