package import Records

/// What the completion engine asks of the workspace: local data only, at once.
package protocol CompletionData {
    /// Nil without a workspace, or when its schema cannot be read.
    var schema: Schema? { get }
    var contexts: [Candidate] { get }
    /// Names of backends that could be used.
    var backends: [Candidate] { get }
    /// Keys of `config`.
    var settings: [Candidate] { get }

    /// Ids that begin with `prefix`, then records whose label does, each with its label.
    func ids(of model: Model, prefix: String, limit: Int) -> [Candidate]

    /// Numbers of the queue, with what each is.
    func queueNumbers(limit: Int) -> [Candidate]

    /// Numbers of quarantined data.
    func quarantineNumbers(limit: Int) -> [Candidate]

    /// Ids of records in conflict, of one model or of all.
    func conflicts(of model: String, limit: Int) -> [Candidate]

    /// Files and folders (with a slash at the end) whose path begins with `prefix`.
    func files(prefix: String) -> [Candidate]
}
