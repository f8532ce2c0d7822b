package import Records

/// A file of records of one model, in whichever format it is.
package struct ImportSource {
    private let window: InputWindow
    package let format: ImportRequest.Format

    /// Takes the format that was asked for; nil lets the file's name tell, else its first bytes.
    ///
    /// `path` is nil for standard input.
    package init(
        format: ImportRequest.Format?, path: String?, _ source: any ByteSource
    ) throws(ShellError) {
        window = InputWindow(source)
        self.format =
            if let format = format ?? path.flatMap({ .init(path: $0) }) {
                format
            } else {
                .init(beginning: try window.beginning())
            }
    }

    /// What reads the records; a header is read at once.
    package func records(
        of model: Model, in schema: Schema, map: [Pair] = []
    ) throws(ShellError) -> any RecordReader {
        switch format {
        case .json: JSONElementsReader(window)
        case .ndjson: JSONLinesReader(window)
        case .csv:
            try DelimitedRecords(
                DelimitedReader(.comma, window), model: model, schema: schema, map: map)
        case .tsv:
            try DelimitedRecords(
                DelimitedReader(.tab, window), model: model, schema: schema, map: map)
        }
    }
}
