package import JSON
package import Storage

extension Row: OutputRow {
    package func cell(_ source: Column.Source) throws(ShellError) -> JSONValue {
        do throws(StoreError) {
            return switch source {
            case .field(let index): try value(at: index)
            case .version: try version() ?? .null
            case .state: .string(try state())
            case .included, .value: .null
            }
        } catch {
            throw ShellError(error)
        }
    }

    package func appendJSON(_ columns: Columns, to bytes: inout [UInt8]) throws(ShellError) {
        do throws(StoreError) {
            try appendJSON(fields: columns.fields, meta: columns.hasMeta, to: &bytes)
        } catch {
            throw ShellError(error)
        }
    }
}
