package import JSON

extension Field {
    /// The value that typed text stands for, by the field's declared type; nothing is guessed.
    ///
    /// A list or nested value is typed as JSON. Empty text is the empty string, never null.
    ///
    /// - Throws: Kind `.value`, naming the field, the text and how to write such a value.
    package func coerce(text: String, in schema: Schema) throws(RecordsError) -> JSONValue {
        if isList { return try validate(json(text), in: schema) }
        return try coerce(element: text, in: schema)
    }

    /// As `coerce`, for one element of a list field.
    package func coerce(element text: String, in schema: Schema) throws(RecordsError) -> JSONValue {
        switch type {
        case .scalar(let scalar): return try coerce(text, scalar)
        case .enumeration(let name):
            try checkEnum(text, name, in: schema)
            return .string(text)
        case .nested:
            return try validate(element: json(text), in: schema, path: self.name)
        }
    }

    private func coerce(_ text: String, _ scalar: Scalar) throws(RecordsError) -> JSONValue {
        switch scalar {
        case .string: return .string(text)
        case .int, .timestamp:
            if let value = NumberText.integer(text) { return .int(value) }
            if NumberText.isInteger(text) {
                throw RecordsError(
                    .value, "\(name): \(isSecret ? "the value" : text) does not fit 64 bits",
                    hint: "use a String field for it")
            }
            throw wrong(text, scalar, hint: "write a whole number, as in 42")
        case .float:
            if let value = NumberText.number(text) {
                if value.doubleValue != nil { return value }
                throw RecordsError(
                    .value, "\(name): \(isSecret ? "the value" : text) is beyond every Float",
                    hint: "use a String field for it")
            }
            throw wrong(text, scalar, hint: "write a number, as in 3.14 or 1e6")
        case .boolean:
            if text.sameBytes(as: "true") { return .bool(true) }
            if text.sameBytes(as: "false") { return .bool(false) }
            throw wrong(text, scalar, hint: "write true or false")
        default:
            if let hint = ScalarText.fault(text, as: scalar) {
                throw wrong(text, scalar, hint: hint)
            }
            return .string(text)
        }
    }

    /// Reads the JSON text of a list or a nested value.
    private func json(_ text: String) throws(RecordsError) -> JSONValue {
        do throws(JSONError) {
            return try JSONValue.parse(text)
        } catch {
            throw RecordsError(
                .value, "\(name): \(shown(text)) is no \(typeText)", hint: jsonHint)
        }
    }

    private var jsonHint: String {
        isList
            ? "write it as JSON, \(name):='[...]', or add an element with \(name)+=VALUE"
            : "write it as JSON, \(name):='{...}', or set a part with \(name).PART=VALUE"
    }

    func wrong(_ text: String, _ scalar: Scalar, hint: String) -> RecordsError {
        let value = text.isEmpty ? "the empty string" : shown(text)
        let hint = isSecret ? nil : hint
        return RecordsError(.value, "\(name): \(value) is no \(scalar.rawValue)", hint: hint)
    }

    /// A value for a message; that of a `@secret` field is not shown.
    func shown(_ text: String) -> String { isSecret ? "the value" : quoted(text) }

    func shown(_ json: JSONValue) -> String {
        isSecret && !json.isNull ? "the value" : describe(json)
    }

    func checkEnum(_ text: String, _ name: String, in schema: Schema) throws(RecordsError) {
        guard let values = schema.enumType(name)?.values else { return }
        if values.contains(where: { $0.sameBytes(as: text) }) { return }
        let meant = didYouMean(text, among: values)
        throw RecordsError(
            .value, "\(self.name): \(shown(text)) is no \(name)",
            hint: meant.map { "did you mean \($0)?" } ?? "its values are \(someOf(values))")
    }
}

/// A text for a message: in quotes, and not endless.
func quoted(_ text: String) -> String {
    text.utf8.count > 64 ? "\"\(text.prefix(48))...\"" : "\"\(text)\""
}
