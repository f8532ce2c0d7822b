internal import Platform

extension Session {
    /// Answers a shell's completion script; silent on any error.
    func complete(_ request: CompleteRequest) {
        let reply = Completer(StoreCompletionData(self), for: .shell).reply(to: request)
        do throws(SystemError) {
            try output.write(reply)
            try output.flush()
        } catch {
            // Nobody is there to be told.
        }
    }
}
