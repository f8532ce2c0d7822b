internal import JSON
internal import Platform
internal import Sync

// The checks of level read that are about the protocol itself.

extension ConformanceBench {
    func unknownFieldsAreIgnored() throws(Shortfall) {
        let plain = try page(limit: 2)
        let extra = JSONObject([
            ("x_unknown", ["a": [1, nil, "b"]]), ("model_version", 7), ("x_cursor", "nowhere"),
        ])
        let answer: Page
        do throws(Shortfall) {
            answer = try page(limit: 2, extra: extra)
        } catch {
            guard case .plugin(let error) = error, error.kind != .interrupted else { throw error }
            throw .failed("a pull with fields it does not know is not answered: \(error.message)")
        }
        guard answer.items == plain.items else {
            throw .failed("a pull with fields it does not know brings other records")
        }
    }

    func unknownRequestIsRefused() throws(Shortfall) {
        let connection = try connection()
        do throws(PluginError) {
            let id = try connection.send(.ping, JSONObject(), as: "x_unknown")
            _ = try connection.answer(to: id, of: .ping)
        } catch {
            guard case .refused(let refusal) = error.kind else { throw .plugin(error) }
            guard refusal.kind == .unsupported else {
                throw .failed(
                    "it refuses with the kind \(refusal.kind.rawValue) instead of unsupported")
            }
            _ = try page(limit: 1)
            return
        }
        throw .failed("a request it cannot know gets a result instead of an error")
    }

    func cancelIsAnswered() throws(Shortfall) {
        let interrupt: Interrupt
        do throws(SystemError) { interrupt = try Interrupt() } catch {
            throw .skipped(error.message)
        }
        let connection = try minding { () throws(PluginError) in try connect(interrupt) }
        defer { connection.close() }
        let params = JSONObject([
            ("model", .string(model)), ("cursor", .null), ("limit", 999), ("filter", .null),
        ])
        do throws(PluginError) {
            let id = try connection.send(.pull, params)
            interrupt.raise()
            _ = try connection.answer(to: id, of: .pull)
        } catch {
            switch error.kind {
            case .refused(let refusal) where refusal.kind == .cancelled: break
            case .interrupted:
                if setting.interrupt?.isRaised == true { throw .plugin(error) }
                throw .failed(
                    "a cancelled pull got neither its result nor an error of the kind cancelled "
                        + "within \(setting.deadlines.cancel) ms")
            default: throw .plugin(error)
            }
        }
        interrupt.reset()
        // It goes on with the next request.
        _ = try page(limit: 1, on: connection)
    }

    func exitsAtEndOfInput() throws(Shortfall) {
        let connection = try restart()
        let process = connection.process
        process.closeInput()
        guard process.ends(within: setting.deadlines.closing) else {
            connection.abandon()
            throw .failed(
                "it still runs \(setting.deadlines.closing) ms after its input was closed")
        }
        connection.abandon()
    }
}
