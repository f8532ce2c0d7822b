internal import JSON

// As it is kept in `meta`:
// {"Post":{"table":"Post","columns":[["title","title","text"]],"indexes":[["authorID"]]}}
extension ModelLayout {
    static func json(_ layouts: [ModelLayout]) -> JSONValue {
        .object(JSONObject(layouts.map { ($0.model, $0.json) }))
    }

    static func layouts(from json: JSONValue) -> [ModelLayout]? {
        guard let members = json.members else { return nil }
        var layouts: [ModelLayout] = []
        for (model, value) in members.pairs {
            guard let layout = ModelLayout(model: model, json: value) else { return nil }
            layouts.append(layout)
        }
        return layouts
    }

    private var json: JSONValue {
        .object(
            JSONObject([
                ("table", .string(table)),
                (
                    "columns",
                    .array(
                        columns.map {
                            [
                                .string($0.field), .string($0.name),
                                .string($0.encoding.rawValue),
                            ]
                        })
                ),
                ("indexes", .array(indexes.map { .array($0.map(JSONValue.string)) })),
            ]))
    }

    private init?(model: String, json: JSONValue) {
        guard let table = json["table"]?.text, let columns = json["columns"]?.elements,
            let indexes = json["indexes"]?.elements
        else { return nil }
        self.model = model
        self.table = table
        self.columns = []
        for column in columns {
            guard let parts = column.elements, parts.count == 3, let field = parts[0].text,
                let name = parts[1].text, let encoding = parts[2].text.flatMap(Encoding.init)
            else { return nil }
            self.columns.append(Column(field: field, name: name, encoding: encoding))
        }
        self.indexes = indexes.map { $0.elements?.compactMap(\.text) ?? [] }
    }
}
