import Platform
import Testing

/// A network namespace of its own has one interface, which a test may take up and down.
@Suite struct `A network interface` {
    private static func canMakeOne() -> Bool {
        do {
            let tools = CapturedProgram(
                shell: "PATH=$PATH:/usr/sbin:/sbin unshare -rn sh -c 'ip link set lo up'",
                environment: Environment.current())
            return try tools.run(within: 30_000).code == 0
        } catch {
            return false
        }
    }

    @Test(.enabled(if: canMakeOne(), "unshare and ip make no network namespace here"))
    func `that goes up has the backend asked at once`() throws {
        let home = try SatchelHome()
        try home.write("schema.graphql", "type Post @model { title: String }")
        let made = try home.satchel(
            "init", "w", "--schema", "schema.graphql", "--backend", "folder",
            "--set", "path=../remote")
        try #require(made.code == 0, "\(made)")
        let run = try home.shell(
            """
            PATH=$PATH:/usr/sbin:/sbin exec unshare -rn bash -c '
                coproc S { exec satchel watch --sync --verbose -o ndjson --timeout 600 2>&1; }
                pid=$S_PID
                while read -r line <&"${S[0]}"; do
                    echo "$line"
                    case $line in
                        *online*) ip link set lo up ;;
                        *"interface changed"*) kill $pid ;;
                    esac
                done'
            """, in: "w")
        #expect(run.output.contains("a network interface changed: the backend is asked"), "\(run)")
    }
}
