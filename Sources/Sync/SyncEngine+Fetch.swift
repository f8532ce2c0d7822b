internal import Records

/// What a backend told of records that it was asked for by their ids.
struct Fetched {
    var records: [RemoteRecord] = []
    /// Those that it refuses to tell of.
    var refused: [RecordID] = []
    /// Why it last did.
    var refusal: BackendError?
}

extension SyncEngine {
    /// As many records are asked for at once.
    private static let fetchedAtOnce = 100
    /// So many refusals of a single record end the asking: it seems to be refused as such.
    private static let patienceWithRefusals = 20

    /// Asks for records by their ids, in parts where that is too much at once or where one of them
    /// is refused: it stops none of the others.
    ///
    /// - Throws: What says nothing about these records, such as a network that failed.
    func fetch(_ ids: [RecordID], of model: String) throws(BackendError) -> Fetched {
        var fetched = Fetched()
        var parts = stride(from: 0, to: ids.count, by: Self.fetchedAtOnce).reversed().map {
            ids[$0..<min($0 + Self.fetchedAtOnce, ids.count)]
        }
        while let part = parts.popLast() {
            guard fetched.refused.count < Self.patienceWithRefusals else {
                fetched.refused += part
                continue
            }
            do throws(BackendError) {
                fetched.records += try backend.fetch(model: model, ids: Array(part))
            } catch {
                guard error.refusesQuestion else { throw error }
                fetched.refusal = error
                guard part.count > 1 else {
                    fetched.refused += part
                    continue
                }
                let middle = part.startIndex + part.count / 2
                parts += [part[middle...], part[..<middle]]
            }
        }
        return fetched
    }
}

extension BackendError {
    /// True when asking the same again would give the same answer.
    fileprivate var refusesQuestion: Bool {
        switch kind {
        case .permanent, .unsupported, .tooLarge: true
        default: false
        }
    }
}
