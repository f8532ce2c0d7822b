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
        self.init(kind, error.message, hint: error.hint)
    }
}
