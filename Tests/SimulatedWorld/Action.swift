/// What one step may be.
package enum Action: String, CaseIterable, Sendable {
    case createPost, createChild, update, delete, replace, undo, repair
    case weave, chase, relay, overtake, push, pull, sync, turn, restart, refilter
    case clockAhead, clockBack, resetEpoch, loseData, expireWindow, expireTombstones
    case breakRecord, mendRecords, extendRecord, changeDataSet, refuseWrites, changeSchema

    func weight(in setting: Setting) -> Int {
        guard setting.hasSessions else { return weight }
        return switch self {
        case .turn: 60
        case .sync, .push, .pull: 6
        default: weight
        }
    }

    private var weight: Int {
        switch self {
        case .createPost: 8
        case .createChild: 7
        case .update: 50
        case .delete: 6
        case .replace, .undo: 4
        case .repair: 6
        case .push: 18
        case .pull: 18
        case .sync: 26
        case .turn: 6
        case .restart: 2
        case .weave, .changeSchema: 2
        case .refilter: 3
        case .chase, .relay: 8
        case .overtake, .clockAhead, .clockBack, .resetEpoch, .loseData, .expireWindow,
            .expireTombstones, .breakRecord, .mendRecords, .extendRecord, .changeDataSet,
            .refuseWrites:
            1
        }
    }
}
