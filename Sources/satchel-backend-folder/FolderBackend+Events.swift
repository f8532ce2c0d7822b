package import JSON
internal import Platform
package import PluginKit
internal import Records

extension FolderBackend {
    /// More lines than this at once are a gap: a pull brings them faster.
    private static let mostEvents = 500

    package func subscribe(
        models: [String]?, filters: JSONValue?, _ call: PluginCall
    ) throws(PluginError) {
        let folder = try reach()
        watch = try PluginError.reaching(folder.path) { () throws(SystemError) in
            try LogWatch(folder, models: models)
        }
    }

    package var watchedDescriptors: [Int32] { watch.map { [$0.descriptor.number] } ?? [] }

    package func react(to descriptor: Int32) {
        guard let watch, let folder, let host else { return }
        watch.drain()
        do throws(SystemError) {
            guard try folder.log.holds(watch.position) else {
                watch.position = try folder.log.head()
                return host.gap()
            }
            let lines = try newLines(for: watch, in: folder)
            if lines.count > Self.mostEvents { return host.gap() }
            for line in lines where watch.models?.contains(line.model) != false {
                host.event(
                    model: line.model, id: line.id, version: .int(line.version),
                    content: line.kind == .delete ? .deleted : .unseen, originKey: line.key)
            }
        } catch {
            host.log(.warning, error.message)
            host.gap()
        }
    }

    private func newLines(
        for watch: LogWatch, in folder: Folder
    ) throws(SystemError) -> [LogLine] {
        var lines: [LogLine] = []
        try folder.log.scan(from: watch.position.offset) { (bytes, _) throws(SystemError) in
            if let line = LogLine(bytes) { lines.append(line) }
            return lines.count <= Self.mostEvents
        }
        watch.position = try folder.log.head()
        return lines
    }
}
