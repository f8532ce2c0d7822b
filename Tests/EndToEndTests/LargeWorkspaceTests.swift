import JSON
import Testing

@Suite struct `A workspace of many large records` {
    /// Runs `satchel` with arguments and tells its peak memory in MB and its processor time in ms.
    static let measure = """
        import resource, subprocess, sys
        subprocess.run(["satchel"] + sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        print(used.ru_maxrss // 1024, round(1000 * (used.ru_utime + used.ru_stime)))

        """

    private func measure(_ home: SatchelHome, _ line: String) throws -> (memory: Int, time: Int) {
        let ended = try home.shell("python3 ../measure.py \(line)", in: "a")
        try #require(ended.code == 0, "\(ended)")
        let numbers = ended.output.split(separator: " ").compactMap {
            Int($0.filter(\.isNumber))
        }
        try #require(numbers.count == 2, "\(ended)")
        return (numbers[0], numbers[1])
    }

    @Test func `is listed in bounded memory and completed at once`() throws {
        let pair = try SharedFolder()
        try pair.home.write("measure.py", Self.measure)
        // 50 MB of titles; more than the 20,000 records whose labels Tab looks through.
        let made = try pair.home.shell(
            "python3 -c 'for n in range(25000): print(\"post %d \" % n + \"x\" * 2000)' "
                + "| (echo title; cat) > posts.csv && satchel import Post posts.csv", in: "a")
        try #require(made.code == 0, "\(made)")
        for line in ["list Post -o ndjson", "list Post -o csv", "list Post sort -title", "export"] {
            let memory = try measure(pair.home, line).memory
            #expect(memory < 45, "\(line): \(memory) MB")
        }
        let id = try pair.output("a", "list Post limit 1 offset 12500 -o id")
        for word in [String(id.prefix(10)), "post", "''"] {
            let time = try measure(pair.home, "__complete bash 3 -- satchel get Post \(word)").time
            // A bound of what it must not be; what it is belongs to the benchmarks.
            #expect(time < 2_000, "Tab after \(word): \(time) ms")
        }
    }
}
