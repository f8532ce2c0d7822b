package import JSON

// Replaced by the real ones of the filter language as it lands.
extension Filter {
    package func matches(_ record: JSONObject, model: Model, schema: Schema) -> Bool? { nil }
    package func protocolJSON(operators: [String]) -> JSONValue? { nil }
}
