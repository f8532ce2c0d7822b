internal import Records

/// Words a hint for somebody who typed a name that is not there.
package enum Suggestion {
    /// Such as `did you mean "list"?`; nil when nothing is near.
    package static func hint(for word: String, among names: some Sequence<String>) -> String? {
        didYouMean(word, among: names).map { "did you mean \"\($0)\"?" }
    }
}
