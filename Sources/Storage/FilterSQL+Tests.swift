internal import JSON
internal import Records

extension FilterSQL {
    /// A test of one value; null or false where the value is null.
    mutating func apply(_ test: Filter.Test, to operand: Operand) throws(StoreError) -> String {
        let sql = operand.sql
        switch test {
        case .equal(let value): return equal(operand, value)
        case .less(let value): return compare(operand, "<", value)
        case .lessOrEqual(let value): return compare(operand, "<=", value)
        case .greater(let value): return compare(operand, ">", value)
        case .greaterOrEqual(let value): return compare(operand, ">=", value)
        case .between(let low, let high):
            return "(\(compare(operand, ">=", low)) AND \(compare(operand, "<=", high)))"
        case .contains(let text):
            guard operand.isText else { return "0" }
            return "satchel_contains(\(sql), \(bind(.bytes(Substring.folded(text)))))"
        case .among(let values): return among(operand, values)
        case .startsWith(let prefix): return startsWith(operand, prefix)
        case .isNull: return "\(sql) IS NULL"
        case .isNotNull: return "\(sql) IS NOT NULL"
        case .has(let value): return has(operand, value)
        case .notEqual, .notContains:
            throw StoreError(.misuse, "a negated test reached the store as it is")
        }
    }

    private mutating func compare(
        _ operand: Operand, _ sign: String, _ value: JSONValue
    ) -> String {
        "\(left(operand, value)) \(sign) \(bind(SQLValue(value, as: operand.kind)))"
    }

    private mutating func equal(_ operand: Operand, _ value: JSONValue) -> String {
        if value.isNull { return "\(operand.sql) IS NULL" }
        guard let owner = operand.owner, let state = value.text else {
            return compare(operand, "=", value)
        }
        // The queue is mostly shorter than the table, and what is parked in it shorter still.
        switch state {
        case "synced":
            return "NOT EXISTS (SELECT 1 FROM mutation "
                + "WHERE model = \(owner.model) AND id = \(owner.id))"
        case "conflict", "rejected":
            return "(\(owner.id) IN (SELECT id FROM mutation WHERE model = \(owner.model) "
                + "AND state <> 'queued' AND state = '\(state)') AND \(compare(operand, "=", value)))"
        default:
            return "(\(owner.id) IN (SELECT id FROM mutation WHERE model = \(owner.model)) "
                + "AND \(compare(operand, "=", value)))"
        }
    }

    private mutating func among(_ operand: Operand, _ values: [JSONValue]) -> String {
        guard let first = values.first(where: { !$0.isNull }) else {
            return values.isEmpty ? "0" : "\(operand.sql) IS NULL"
        }
        let known = values.filter { !$0.isNull }
        let members = ValueList(known.map { SQLValue($0, as: operand.kind) })
        let sets = members.sets { bind($0) }
        let left = left(operand, first)
        var parts = sets.map { "\(left) IN \($0)" }
        if known.count < values.count { parts.append("\(operand.sql) IS NULL") }
        return parts.count == 1 ? parts[0] : "(\(parts.joined(separator: " OR ")))"
    }

    /// A version is opaque: it is compared with a text as text, with a number as number.
    private func left(_ operand: Operand, _ value: JSONValue) -> String {
        guard operand.kind == .version else { return operand.comparable }
        let version = "json_extract(\(operand.sql), '$')"
        return value.text == nil ? version : "CAST(\(version) AS TEXT)"
    }

    /// A range where an index can serve it.
    private mutating func startsWith(_ operand: Operand, _ prefix: String) -> String {
        let sql = operand.sql
        switch operand.kind {
        case .text, .instant, .state:
            guard let end = Array(prefix.utf8).rangeEnd else { return "\(sql) IS NOT NULL" }
            return "(\(sql) >= \(bind(.text(prefix))) AND \(sql) < \(bind(.bytes(end))))"
        case .version:
            let mark = bind(.text(prefix))
            return "substr(json_extract(\(sql), '$'), 1, length(\(mark))) = \(mark)"
        case .number, .boolean, .json: return "0"
        }
    }

    private mutating func has(_ operand: Operand, _ value: JSONValue) -> String {
        let element = alias()
        var test: String
        switch value {
        case .null: test = "\(element).type = 'null'"
        case .bool(let flag): test = "\(element).type = '\(flag ? "true" : "false")'"
        case .int, .double, .big:
            let mark = bind(SQLValue(value, as: .number))
            test = "\(element).type IN ('integer', 'real') AND \(element).value = \(mark)"
        case .string:
            var item = Operand(sql: "\(element).value", kind: .text)
            if case .json(let scalar?) = operand.kind, let kind = InstantKey.Kind(scalar) {
                item.kind = .instant(kind)
            }
            test = "\(element).type = 'text' AND \(compare(item, "=", value))"
        case .array, .object:
            test = "\(element).value = \(bind(.text(value.serialized())))"
        }
        return "EXISTS (SELECT 1 FROM json_each(\(operand.sql)) AS \(element) WHERE \(test))"
    }
}

extension SQLValue {
    init(_ value: JSONValue, as kind: FilterSQL.Operand.Kind) {
        switch value {
        case .null: self = .null
        case .bool(let flag): self = .integer(flag ? 1 : 0)
        case .int(let number): self = .integer(number)
        case .double(let number): self = .real(number)
        // Columns hold such a number as nearly as a real can.
        case .big(let digits): self = Double(digits).map(SQLValue.real) ?? .text(digits)
        case .string(let text):
            if case .instant(let kind) = kind {
                self = .bytes(InstantKey.key(of: text, kind))
            } else {
                self = .text(text)
            }
        case .array, .object: self = .text(value.serialized())
        }
    }
}

extension [UInt8] {
    /// The first text after all those that begin with these bytes; nil when there is none.
    var rangeEnd: [UInt8]? {
        var end = self
        while let last = end.popLast() {
            if last < 0xFF {
                end.append(last + 1)
                return end
            }
        }
        return nil
    }
}
