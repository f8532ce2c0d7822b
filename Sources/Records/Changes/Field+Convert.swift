package import JSON

extension Field {
    /// The same value as this field writes it: a value of another type that converts back exactly.
    ///
    /// Text that is just how a number or a boolean is written becomes that and the other way
    /// round; a single value becomes a list of one and the other way round. Null stays null.
    ///
    /// - Returns: Nil when there is no such value; it is not asked whether the field is required.
    package func converted(_ value: JSONValue, in schema: Schema) -> JSONValue? {
        if value.isNull { return .null }
        if isList {
            if case .array = value { return checked(value, in: schema) }
            return converted(element: value, in: schema).flatMap {
                checked(.array([$0]), in: schema)
            }
        }
        if case .array(let elements) = value, type != .scalar(.json) {
            guard elements.count == 1, !elements[0].isNull else { return nil }
            return converted(element: elements[0], in: schema)
        }
        return converted(element: value, in: schema)
    }

    private func converted(element value: JSONValue, in schema: Schema) -> JSONValue? {
        var single = self
        single.isList = false
        guard case .scalar(let scalar) = type else { return single.checked(value, in: schema) }
        switch (scalar, value) {
        case (.string, .int), (.string, .double), (.string, .big), (.string, .bool):
            return .string(value.serialized())
        case (.int, .string(let text)), (.timestamp, .string(let text)),
            (.float, .string(let text)), (.boolean, .string(let text)):
            do throws(RecordsError) {
                let found = try single.coerce(text: text, in: schema)
                if found.serialized().sameBytes(as: text) { return found }
                return Optional.none
            } catch {
                return nil
            }
        default: return single.checked(value, in: schema)
        }
    }

    private func checked(_ value: JSONValue, in schema: Schema) -> JSONValue? {
        do throws(RecordsError) { return try validate(value, in: schema) } catch { return nil }
    }
}
