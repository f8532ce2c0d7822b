import Glibc
import JSON
import Records
import Storage
import Testing

@Suite struct `A filter with tens of thousands of values` {
    /// Processor time of this thread: what else the machine does is not counted.
    private static func milliseconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1_000 + Double(time.tv_nsec) / 1_000_000
    }

    private func value(_ field: String, _ number: Int) -> JSONValue {
        switch field {
        case "score": .double(Double(number) + 0.1)
        case "rating": .int(Int64(number))
        default: .string("p\(number)")
        }
    }

    @Test(arguments: ["id", "rating", "score"], [true, false])
    func `takes time in proportion to them`(_ field: String, _ isList: Bool) throws {
        let store = try Store(inMemory: .blog)
        for number in 0..<300 {
            let record = JSONObject([
                ("id", value("id", number)), ("rating", value("rating", number)),
                ("score", value("score", number)),
            ])
            try store.putRecord(.post, RecordID("p\(number)"), record, version: nil)
        }
        func time(_ count: Int) throws -> Double {
            let path = Filter.Path([], field)
            let values = (100..<100 + count).map { value(field, $0) }
            let filter: Filter =
                isList
                ? .test(path, .among(values)) : .or(values.map { .test(path, .equal($0)) })
            let start = Self.milliseconds()
            #expect(try store.count(Query(model: "Post", filter: filter)) == 200)
            return Self.milliseconds() - start
        }
        _ = try time(1_000)
        let (few, many) = (try time(5_000), try time(50_000))
        // Ten times as many; in the square of their number it would be a hundred times as long.
        #expect(many < 30 * few, "\(few) ms, then \(many) ms")
    }
}
