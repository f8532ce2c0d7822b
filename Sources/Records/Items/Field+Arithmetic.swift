internal import JSON

/// What `f+=v` and `f-=v` do.
extension Field {
    func adding(_ text: String, to old: JSONValue, in schema: Schema) throws(RecordsError)
        -> JSONValue
    {
        if isList {
            let element = try coerce(element: text, in: schema)
            return .array((old.elements ?? []) + [element])
        }
        return try sum(old, text, "+", in: schema)
    }

    func subtracting(_ text: String, from old: JSONValue, in schema: Schema) throws(RecordsError)
        -> JSONValue
    {
        if isList {
            let element = try coerce(element: text, in: schema)
            return .array((old.elements ?? []).filter { $0 != element })
        }
        return try sum(old, text, "-", in: schema)
    }

    private func sum(_ old: JSONValue, _ text: String, _ sign: String, in schema: Schema)
        throws(RecordsError) -> JSONValue
    {
        switch type {
        case .scalar(.int), .scalar(.float), .scalar(.timestamp): break
        default:
            throw RecordsError(
                .value, "\(name) is \(typeText): \(sign)= is for lists and numbers",
                hint: "write \(name)=VALUE")
        }
        let change = try coerce(text: text, in: schema)
        let old = old.isNull ? .int(0) : old.canonicalNumber
        if case .int(let a) = old, case .int(let b) = change {
            let (value, overflow) =
                sign == "+" ? a.addingReportingOverflow(b) : a.subtractingReportingOverflow(b)
            if !overflow { return .int(value) }
        } else if case .scalar(.float) = type, let a = old.exactDouble, let b = change.exactDouble {
            let value = sign == "+" ? a + b : a - b
            if value.isFinite { return JSONValue.double(value).canonicalNumber }
        }
        throw RecordsError(
            .value,
            isSecret
                ? "\(name): the sum cannot be kept exactly"
                : "\(name): \(describe(old)) \(sign) \(text) cannot be kept exactly",
            hint: "write \(name)=VALUE")
    }
}

extension JSONValue {
    /// The number where a double is used for it; nil for numbers of more digits.
    fileprivate var exactDouble: Double? {
        if case .big = self { nil } else { doubleValue }
    }
}
