internal import JSON
package import Records
package import Sync

extension PluginBackend {
    package func pull(_ request: PullRequest) throws(BackendError) -> PullPage {
        do throws(PluginError) {
            let (connection, welcome) = try connected()
            defer { passSecrets(of: connection) }
            let id: Int64
            if let ahead, ahead.request == request {
                id = ahead.id
            } else {
                dropAhead()
                id = try connection.send(.pull, params(of: request, welcome.capabilities))
            }
            ahead = nil
            return try page(connection.items(to: id, of: .pull), request)
        } catch {
            throw error.asBackendError
        }
    }

    package func prefetch(_ request: PullRequest) {
        if let ahead, ahead.request == request { return }
        dropAhead()
        do throws(PluginError) {
            let (connection, welcome) = try connected()
            let id = try connection.send(.pull, params(of: request, welcome.capabilities))
            ahead = (request, id)
        } catch {
            // The pull that follows meets the same fault and reports it.
        }
    }

    package func fetch(model: String, ids: [RecordID]) throws(BackendError) -> [RemoteRecord] {
        let answer = try askForItems(
            .fetch,
            JSONObject([
                ("model", .string(model)), ("ids", .array(ids.map { .string($0.text) })),
            ]))
        guard case .array? = answer.value["records"], var items = answer.items else {
            throw malformed(.fetch, "there is no list of records")
        }
        items.keep(of: model, text: text)
        if let bad = items.undecodable.first {
            throw BackendError(
                .permanent,
                "plugin \(setting.name): the record \(bad.id?.text ?? "") of \(model) "
                    + "cannot be used: \(bad.reason)")
        }
        let records = items.records
        let answered = Set(records.map(\.id))
        if let missing = ids.first(where: { !answered.contains($0) }) {
            // Taking silence for a deletion would delete what is there.
            throw malformed(.fetch, "the record \(missing.text) was asked for and is not answered")
        }
        return records
    }
}

extension PluginBackend {
    private func dropAhead() {
        guard let ahead else { return }
        self.ahead = nil
        forget(ahead.id)
    }

    private func params(of request: PullRequest, _ capabilities: Capabilities) -> JSONObject {
        let filter = request.filter.flatMap {
            FilterDescription.value(of: $0, operators: capabilities.filterOperators)
        }
        return JSONObject([
            ("model", .string(request.model)), ("cursor", request.cursor ?? .null),
            ("limit", .int(Int64(request.limit))), ("filter", filter ?? .null),
        ])
    }

    private func page(
        _ answer: PluginAnswer, _ request: PullRequest
    ) throws(PluginError) -> PullPage {
        guard case .object(let result) = answer.value, case .array? = result["records"],
            var items = answer.items
        else { throw wrong("there is no list of records") }
        guard items.count <= request.limit else {
            throw wrong("\(items.count) records came where \(request.limit) at most were asked for")
        }
        items.keep(of: request.model, text: text)
        var page = PullPage(records: items.records, undecodable: items.undecodable)
        if let cursor = result["cursor"]?.unlessNull {
            guard RemoteItem.isOpaque(cursor) else {
                throw wrong("the cursor is longer than \(RemoteItem.opaqueLimit) bytes")
            }
            page.cursor = cursor
        }
        switch result["more"] {
        case nil, .null: page.more = false
        case .bool(let more): page.more = more
        default: throw wrong("\"more\" is neither true nor false")
        }
        // Asking again from the same place would never end.
        if page.more, page.cursor == nil || page.cursor == request.cursor {
            throw wrong("it says that more follows and gives no new cursor")
        }
        if let epoch = result["epoch"]?.unlessNull {
            guard RemoteItem.isOpaque(epoch) else {
                throw wrong("the epoch is longer than \(RemoteItem.opaqueLimit) bytes")
            }
            page.epoch = epoch
        }
        page.complete = result["complete"]?.boolean
        return page
    }

    private func wrong(_ words: String) -> PluginError {
        PluginError(.malformed, malformed(.pull, words).message)
    }
}
