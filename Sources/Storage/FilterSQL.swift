internal import JSON
internal import Records

/// A value bound to a numbered parameter of generated SQL.
enum SQLValue: Equatable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    /// Text that need not be UTF-8: an end of a range.
    case bytes([UInt8])
}

/// Builds the SQL of a query: names quoted, values bound.
///
/// A condition may be null where it means false; `not` minds that.
struct FilterSQL {
    let schema: Schema
    /// The layout of each model of the schema.
    let tables: [ModelTable]
    private(set) var values: [SQLValue] = []
    private var aliases = 0

    init(schema: Schema, tables: [ModelTable]) {
        self.schema = schema
        self.tables = tables
    }

    mutating func bind(_ value: SQLValue) -> String {
        values.append(value)
        return "?\(values.count)"
    }

    mutating func alias() -> String {
        aliases += 1
        return "t\(aliases)"
    }

    mutating func condition(
        _ filter: Filter, _ model: Model, _ alias: String
    ) throws(StoreError) -> String {
        switch filter {
        case .and(let parts): try joined(parts, "AND", "1", model, alias)
        case .or(let parts): try joined(Self.gathered(parts), "OR", "0", model, alias)
        case .not(let part): "NOT coalesce(\(try condition(part, model, alias)), 0)"
        case .test(let path, let test): try condition(path, test, model, alias)
        }
    }

    /// Many tests of one field for equality are one for being among the values: they then count as
    /// few parameters.
    private static func gathered(_ parts: [Filter]) -> [Filter] {
        guard parts.count > ValueList.few else { return parts }
        var rest: [Filter] = []
        var sought: [(path: Filter.Path, values: [JSONValue])] = []
        for part in parts {
            guard case .test(let path, .equal(let value)) = part, !path.field.hasPrefix("_") else {
                rest.append(part)
                continue
            }
            if let place = sought.firstIndex(where: { $0.path == path }) {
                sought[place].values.append(value)
            } else {
                sought.append((path, [value]))
            }
        }
        return rest + sought.map { .test($0.path, .among($0.values)) }
    }

    /// Joins in halves: SQLite bounds the depth of an expression.
    private mutating func joined(
        _ parts: [Filter], _ word: String, _ neutral: String, _ model: Model, _ alias: String
    ) throws(StoreError) -> String {
        if parts.isEmpty { return neutral }
        if parts.count == 1 { return try condition(parts[0], model, alias) }
        let middle = parts.count / 2
        let left = try joined(Array(parts[..<middle]), word, neutral, model, alias)
        let right = try joined(Array(parts[middle...]), word, neutral, model, alias)
        return "(\(left) \(word) \(right))"
    }

    private mutating func condition(
        _ path: Filter.Path, _ test: Filter.Test, _ model: Model, _ alias: String
    ) throws(StoreError) -> String {
        switch test {
        case .notEqual(let value):
            "NOT coalesce(\(try condition(path, .equal(value), model, alias)), 0)"
        case .notContains(let text):
            "NOT coalesce(\(try condition(path, .contains(text), model, alias)), 0)"
        default: try positive(path, test, model, alias)
        }
    }

    /// Across a to-many relation a test asks whether any record there passes it.
    private mutating func positive(
        _ path: Filter.Path, _ test: Filter.Test, _ model: Model, _ alias: String
    ) throws(StoreError) -> String {
        if let operand = try operand(path, model, alias) { return try apply(test, to: operand) }
        var rest = path
        let relation = try relation(rest.relations.removeFirst(), model)
        let source = try source(of: relation, model, alias)
        let inner = try positive(rest, test, source.model, source.alias)
        return "EXISTS (SELECT 1 FROM \(source.tables) WHERE \(source.condition) AND \(inner))"
    }
}
