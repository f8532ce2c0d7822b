package import Platform
internal import Synchronization

/// Stops plugins behind the user's back, so that an error or a prompt need not wait for them.
package final class Teardown: Sendable {
    private let started = Atomic<Int>(0)
    private let finished: Mailbox<Int>

    package init() throws(SystemError) { finished = try Mailbox() }

    /// Starts stopping a process; it is gone, at the latest, when the two times and a moment are over.
    func stop(_ process: ChildProcess, closing: Int64, terminating: Int64) {
        started.add(1, ordering: .relaxed)
        let finished = finished
        do throws(SystemError) {
            let worker = try Worker.start {
                _ = process.stop(closing: closing, terminating: terminating)
                finished.put(1)
            }
            worker.detach()
        } catch {
            // No thread to be had: stopping it here keeps the promise that nothing is left.
            _ = process.stop(closing: closing, terminating: terminating)
            finished.put(1)
        }
    }

    /// Returns when every process handed over so far is gone.
    package func wait() {
        while started.load(ordering: .relaxed) > 0, finished.take(within: -1) != nil {
            started.subtract(1, ordering: .relaxed)
        }
    }
}
