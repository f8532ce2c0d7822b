package import Storage

extension ShellError {
    package init(_ error: StoreError) {
        let kind: Kind =
            switch error.kind {
            case .busy: .busy
            case .full, .damaged, .illegible, .newer, .permission: .store
            case .notFound: .notFound
            case .interrupted: .interrupted
            case .closed, .misuse: .failed
            }
        let hint: String? =
            switch error.kind {
            case .permission:
                "it cannot be written, or its disk is mounted read-only; see: satchel doctor"
            case .damaged: "satchel doctor says how to go on"
            case .busy, .full, .illegible, .newer, .notFound, .interrupted, .closed, .misuse: nil
            }
        self.init(kind, error.message, hint: error.hint ?? hint)
        isOfReadOnlyStore = error.kind == .permission
    }
}
