import Platform
import Sabotage
import SimulatedWorld
import Testing

/// Recorded runs, each of which once broke a promise or finds a fault that the engine can be given.
@Suite struct `The corpus` {
    private static let folder = Path.join(Path.parent(#filePath), "Corpus")

    private static let names: [String] = {
        do { return try Files.list(folder).filter { $0.hasSuffix(".txt") }.sorted() } catch {
            return []
        }
    }()

    private func scenario(_ name: String) throws -> Scenario {
        let bytes = try Files.read(Path.join(Self.folder, name))
        return try Scenario(parsing: String(decoding: bytes, as: UTF8.self))
    }

    @Test(arguments: names) func `breaks no promise any more`(_ name: String) throws {
        let violation = Trial(place: "corpus-\(name)").replay(try scenario(name))
        #expect(violation == nil, "\(violation.map(\.description) ?? "")")
    }

    @Test(arguments: names) func `finds the fault that it names`(_ name: String) throws {
        let scenario = try scenario(name)
        guard let (fault, invariant) = scenario.finds else { return }
        let built = try #require(Sabotage(name: fault))
        let violation = sabotaged(by: built) {
            Trial(place: "sabotage-\(name)").replay(scenario)
        }
        #expect(violation?.invariant == invariant)
    }

    @Test func `finds every fault that the engine can be given`() throws {
        let found = Set(try Self.names.compactMap { try scenario($0).finds?.sabotage })
        let missed = Sabotage.allCases.map(\.name).filter { !found.contains($0) }
        #expect(missed.isEmpty)
    }
}
