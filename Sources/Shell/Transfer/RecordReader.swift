package import JSON

/// The records of a file, one at a time.
package protocol RecordReader: AnyObject {
    /// The line of the file that the latest record, or the latest error, begins on, from 1.
    var line: Int { get }

    /// The next record; nil at the end.
    ///
    /// - Throws: Kind `.input` with its line for a record that cannot be read. Reading may go on
    ///   behind it; where it cannot, the next call gives nil.
    func next() throws(ShellError) -> JSONObject?
}
