package import JSON

/// A document and the values of its variables.
package struct GraphQLRequest: Sendable, Equatable {
    package var document: Document
    package var variables: JSONObject

    package init(_ document: Document, _ variables: JSONObject = JSONObject()) {
        self.document = document
        self.variables = variables
    }

    /// `{"query":…,"variables":…}`.
    package var body: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(contentsOf: "{\"query\":".utf8)
        JSONWriter.appendString(document.text, to: &bytes)
        bytes.append(contentsOf: ",\"variables\":".utf8)
        variables.write(into: &bytes)
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }
}

/// A GraphQL text and what must be known of it to send it and to read its answer.
package struct Document: Sendable, Equatable {
    package var text: String
    /// Where the answer is in `data`: the root field, and what may lie below it.
    package var path: [String]
    package var isMutation: Bool
    /// The kind of access it is sent with; nil for the usual one.
    package var mode: Access.Mode?

    package init(
        _ text: String, path: [String], isMutation: Bool = false, mode: Access.Mode? = nil
    ) {
        self.text = text
        self.path = path
        self.isMutation = isMutation
        self.mode = mode
    }

    /// The root field; for a document with several, the first.
    package var root: String { path.first ?? "" }
}
