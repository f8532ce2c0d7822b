/// What the prompt needs from the session behind it.
package protocol LineRunner: AnyObject {
    /// What the prompt shows; asked often, so it must be quick.
    var promptState: PromptState { get }

    /// Names of fields and settings whose values never reach the history.
    var secretNames: [String] { get }

    /// Runs one command and tells its results and its errors.
    ///
    /// The terminal is as the commands of other programs find it. A raised interrupt ends the
    /// command within 200 ms.
    func run(_ command: [UInt8]) -> LineOutcome

    /// What may stand where the cursor is.
    ///
    /// - Parameters:
    ///   - words: The words before the cursor, quotes taken away.
    ///   - current: The part of the current word that is before the cursor.
    /// - Returns: Candidates for the current word as a whole.
    func completions(after words: [String], current: String) -> Completions

    /// Asks for a yes.
    func confirm(_ question: String) -> Bool

    /// Somebody logged in, in another process: what the session knows of that is old. Nothing is to be
    /// printed meanwhile.
    func followLogin()

    /// Tells what a person who leaves must know.
    func leave()
}

/// What becomes of the prompt after a command.
package enum LineOutcome: Sendable, Equatable {
    case done
    /// It failed: the rest of a pasted block does not run.
    case failed
    /// The person leaves.
    case leave
}
