import JSON
import Records
import Storage
import Testing

/// Draws values and tests from a seed.
private struct Draw {
    var state: UInt64

    mutating func next(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(bound))
    }

    mutating func element<T>(_ values: [T]) -> T { values[next(values.count)] }
}

@Suite struct `Filters in SQL and in memory` {
    static let texts = [
        "", "a", "A", "ab", "B", "é", "e\u{301}", "É", "~", "ab\u{0}c", "\u{1F600}",
    ]
    static let times = [
        "2024-01-01T00:00:00Z", "2024-01-01T01:00:00+01:00", "2023-12-31T23:59:59.999999999Z",
        "2024-01-01T00:00:00", "not a date", "", "2024-02-30T00:00:00Z", "0000-01-01T00:00:00Z",
        "9999-12-31T23:59:59-18:00", "2024-01-01",
    ]
    static let numbers: [JSONValue] = [
        0, -1, 1, .double(0.5), .double(-0.5), 3, .int(.max), .int(.min), .double(1e300),
        .big("1.50"), .big("1e2"),
    ]

    private static func value(_ field: String, _ draw: inout Draw) -> JSONValue {
        switch field {
        case "rating", "score": draw.element(numbers)
        case "done": .bool(draw.next(2) == 0)
        case "at": .string(draw.element(times))
        default: .string(draw.element(texts))
        }
    }

    private static func filter(_ depth: Int, _ draw: inout Draw) -> Filter {
        if depth > 0 {
            switch draw.next(5) {
            case 4: return .or((0..<40).map { _ in filter(0, &draw) })
            case 0: return .and([filter(depth - 1, &draw), filter(depth - 1, &draw)])
            case 1: return .or([filter(depth - 1, &draw), filter(depth - 1, &draw)])
            case 2: return .not(filter(depth - 1, &draw))
            default: break
            }
        }
        let field = draw.element(["title", "status", "rating", "score", "done", "at", "id"])
        let one = value(field, &draw)
        let other = value(field, &draw)
        let test: Filter.Test =
            switch draw.next(15) {
            case 0: .equal(draw.next(4) == 0 ? .null : one)
            case 1: .notEqual(draw.next(4) == 0 ? .null : one)
            case 2: .less(one)
            case 3: .lessOrEqual(one)
            case 4: .greater(one)
            case 5: .greaterOrEqual(one)
            case 6: .contains(draw.element(texts))
            case 7: .notContains(draw.element(texts))
            case 8: .among(draw.next(3) == 0 ? [one, .null] : [one, other])
            case 14: .among((0..<50).map { _ in value(field, &draw) })
            case 9: .between(one, other)
            case 10: .startsWith(draw.element(texts))
            case 11: .isNull
            case 12: .isNotNull
            default: .equal(other)
            }
        return .test(.init([], field), test)
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64]) func `judge alike`(_ seed: UInt64) throws {
        let store = try Store(inMemory: .blog)
        var draw = Draw(state: seed)
        var records: [String: JSONObject] = [:]
        for number in 0..<60 {
            let id = "\(Self.texts[number % Self.texts.count])\(number)"
            var record = JSONObject([("id", .string(id))])
            for field in ["title", "rating", "score", "done", "at", "status"] {
                record[field] = draw.next(5) == 0 ? .null : Self.value(field, &draw)
            }
            records[id] = record
            try store.putRecord(.post, RecordID(id), record, version: nil)
        }
        for _ in 0..<400 {
            let filter = Self.filter(3, &draw)
            let expected = records.filter {
                filter.matches($0.value, model: .post, schema: .blog) == true
            }
            let found = try store.ids(Query(model: "Post", filter: filter)).map(\.text)
            #expect(Set(found) == Set(expected.keys), "seed \(seed): \(filter)")
        }
    }
}
