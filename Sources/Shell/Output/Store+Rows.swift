package import Records
package import Storage

extension Store {
    /// Passes the matching records to `body` as `forEach` does, for a body that may fail by itself.
    package func forEachRow(
        _ query: Query, fields: [Int]? = nil,
        _ body: (borrowing Row) throws(ShellError) -> Bool
    ) throws(ShellError) {
        var failure: ShellError?
        do throws(StoreError) {
            try forEach(query, fields: fields) { row throws(StoreError) in
                do throws(ShellError) {
                    return try body(row)
                } catch {
                    failure = error
                    return false
                }
            }
        } catch {
            throw ShellError(error)
        }
        if let failure { throw failure }
    }
}
