package import JSON

extension Field {
    /// Checks a JSON value against the field, and brings it into the form that is stored.
    ///
    /// Only lossless changes are made: 3.0 becomes the Int 3, 7 the ID "7", and JSON that is no
    /// text becomes the text an AWSJSON holds.
    ///
    /// - Throws: Kind `.value`, naming the field (and the place within it).
    package func validate(_ json: JSONValue, in schema: Schema) throws(RecordsError) -> JSONValue {
        if case .null = json {
            guard isRequired else { return .null }
            throw RecordsError(.value, "\(name) is required: it cannot be null")
        }
        guard isList else { return try validate(element: json, in: schema, path: name) }
        guard case .array(let elements) = json else {
            throw RecordsError(
                .value, "\(name): \(shown(json)) is no \(typeText)",
                hint: "write a JSON array, or add an element with \(name)+=VALUE")
        }
        var result: [JSONValue] = []
        result.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            if case .null = element {
                if hasRequiredElements {
                    throw RecordsError(.value, "\(name)[\(index)] cannot be null")
                }
                result.append(.null)
            } else {
                result.append(try validate(element: element, in: schema, path: name, index))
            }
        }
        return .array(result)
    }

    /// One value that is no null; `path` and `index` are for messages.
    func validate(
        element json: JSONValue, in schema: Schema, path: String, _ index: Int? = nil
    ) throws(RecordsError) -> JSONValue {
        do throws(RecordsError) {
            switch (type, json) {
            case (.scalar(let scalar), _): return try validate(json, scalar)
            case (.enumeration(let name), .string(let text)):
                try checkEnum(text, name, in: schema)
                return json
            case (.nested(let name), .object(let members)):
                guard let nested = schema.nestedType(name) else { return json }
                return .object(try nested.validate(members, in: schema, path: path))
            case (.enumeration(let name), _), (.nested(let name), _):
                throw RecordsError(.value, "\(self.name): \(shown(json)) is no \(name)")
            }
        } catch {
            guard let index, error.message.hasPrefix("\(name):") else { throw error }
            var placed = error
            placed.message = "\(name)[\(index)]\(error.message.dropFirst(name.count))"
            throw placed
        }
    }

    private func validate(_ json: JSONValue, _ scalar: Scalar) throws(RecordsError) -> JSONValue {
        switch (scalar, json) {
        case (.string, .string): return json
        case (.int, .int), (.timestamp, .int), (.float, .int), (.boolean, .bool): return json
        case (.int, .double), (.int, .big), (.timestamp, .double), (.timestamp, .big):
            let number = json.canonicalNumber
            if case .int = number { return number }
        case (.float, .double), (.float, .big):
            if json.doubleValue != nil { return json.canonicalNumber }
        case (.id, .int(let value)): return .string(value.description)
        case (.json, .string(let text)):
            if let hint = ScalarText.fault(text, as: .json) { throw wrong(text, .json, hint: hint) }
            return json
        case (.json, _): return .string(json.serialized())
        case (.int, _), (.timestamp, _), (.float, _), (.boolean, _): break
        case (_, .string(let text)):
            if let hint = ScalarText.fault(text, as: scalar) {
                throw wrong(text, scalar, hint: hint)
            }
            return json
        default: break
        }
        throw RecordsError(
            .value, "\(name): \(shown(json)) is no \(scalar.rawValue)", hint: hint(json, scalar))
    }

    private func hint(_ json: JSONValue, _ scalar: Scalar) -> String? {
        switch (scalar, json) {
        case (.int, .string), (.float, .string), (.timestamp, .string), (.boolean, .string):
            "write it without quotes"
        case (.int, .double), (.int, .big): "write a whole number of at most 64 bits"
        case (.string, .int), (.string, .double), (.string, .big), (.string, .bool):
            "write it in quotes"
        default: nil
        }
    }
}

extension NestedType {
    fileprivate func validate(_ members: JSONObject, in schema: Schema, path: String)
        throws(RecordsError) -> JSONObject
    {
        var result = JSONObject()
        result.reserveCapacity(members.count)
        for (key, value) in members.pairs {
            guard var field = fields.first(where: { $0.name.sameBytes(as: key) }) else {
                let names = fields.map(\.name)
                throw RecordsError(
                    .unknown, "\(path): \(name) has no \(quoted(key))",
                    hint: didYouMean(key, among: names).map { "did you mean \($0)?" }
                        ?? "it has \(someOf(names))")
            }
            field.name = "\(path).\(key)"
            result.append(key, try field.validate(value, in: schema))
        }
        for field in fields where field.isRequired && result.index(of: field.name) == nil {
            throw RecordsError(.value, "\(path): \(field.name) of \(name) is required")
        }
        return result
    }
}

/// A value for a message.
func describe(_ json: JSONValue) -> String {
    switch json {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .int, .double, .big: json.serialized()
    case .string(let text): quoted(text)
    case .array: "an array"
    case .object: "an object"
    }
}
