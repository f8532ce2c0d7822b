internal import Records

/// What a backend told of records that it was asked for by their ids.
struct Fetched {
    var records: [RemoteRecord] = []
    /// Those that it does not tell of, and why.
    var untold: [(id: RecordID, cause: BackendError)] = []
}

extension SyncEngine {
    /// As many records are asked for at once.
    private static let fetchedAtOnce = 100
    /// So many refusals of a single record end the asking: it seems to be refused as such.
    static let patienceWithRefusals = 20
    /// As much for single records that only fail, which may take its time.
    private static let patienceWithFailures = 3

    /// Asks for records by their ids, in parts where that is too much at once or where one of them
    /// is refused: it stops none of the others.
    ///
    /// With `sparing`, so does one with which the request fails while the backend answers; see
    /// `tellsCulprits`.
    ///
    /// - Throws: What says nothing about these records, such as a network that failed.
    func fetch(
        _ ids: [RecordID], of model: String, sparing: Bool = false
    ) throws(BackendError) -> Fetched {
        var fetched = Fetched()
        var parts = stride(from: 0, to: ids.count, by: Self.fetchedAtOnce).reversed().map {
            ids[$0..<min($0 + Self.fetchedAtOnce, ids.count)]
        }
        var failures = 0
        while let part = parts.popLast() {
            if let cause = fetched.untold.last?.cause,
                fetched.untold.count >= Self.patienceWithRefusals
                    || failures >= Self.patienceWithFailures
            {
                fetched.untold += part.map { ($0, cause) }
                continue
            }
            do throws(BackendError) {
                fetched.records += try backend.fetch(model: model, ids: Array(part))
            } catch {
                if !error.refusesQuestion {
                    guard sparing, error.mayPass, isAnswered() else { throw error }
                    // Another time-out would take as long again.
                    if error.kind == .hung { failures = Self.patienceWithFailures }
                    if part.count == 1 { failures += 1 }
                }
                if part.count > 1, error.kind != .hung {
                    let middle = part.startIndex + part.count / 2
                    parts += [part[middle...], part[..<middle]]
                } else {
                    fetched.untold += part.map { ($0, error) }
                }
            }
        }
        return fetched
    }

    /// True where a request that fails may be its records' fault: a ping tells whether the backend is
    /// there; one that has none is taken to be after failures in a row.
    func tellsCulprits() throws(SyncError) -> Bool {
        if try able().answersPing { return true }
        return try pause()?.failures ?? 0 > SyncEngine.patience
    }
}

extension BackendError {
    /// True when asking the same again would give the same answer.
    var refusesQuestion: Bool {
        switch kind {
        case .permanent, .unsupported, .tooLarge: true
        default: false
        }
    }
}
