import Shell
import Testing

@Suite struct `Merging exit codes` {
    @Test(arguments: ExitCode.allCases) func `done changes nothing`(_ code: ExitCode) {
        #expect(code.merged(with: .done) == code)
        #expect(ExitCode.done.merged(with: code) == code)
        #expect(code.merged(with: code) == code)
    }

    @Test func `does not depend on the order`() {
        for left in ExitCode.allCases {
            for right in ExitCode.allCases {
                #expect(left.merged(with: right) == right.merged(with: left))
            }
        }
    }

    @Test(arguments: ShellError.Kind.allCases) func `no error ends in success`(
        _ kind: ShellError.Kind
    ) {
        #expect(kind.exitCode != .done)
    }
}
