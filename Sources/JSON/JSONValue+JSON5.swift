extension JSONValue {
    /// Reads one JSON5 value: JSON with comments, trailing commas, unquoted keys and the like.
    ///
    /// For files people write by hand, at most 128 levels deep; it is not made for speed.
    package static func parseJSON5(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
        try JSON5Document(bytes).value
    }

    package static func parseJSON5(_ text: String) throws(JSONError) -> JSONValue {
        try parseJSON5(Array(text.utf8))
    }
}
