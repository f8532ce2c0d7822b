// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

/// A Swift module and the modules it may import: the arrows of docs/architecture.md.
func module(
    _ name: String, _ dependencies: [Target.Dependency] = [], links: [LinkerSetting] = []
) -> Target {
    .target(
        name: name, dependencies: dependencies, swiftSettings: strict, linkerSettings: links)
}

/// Faults on purpose for the simulation: in debug builds, in optimised ones where the environment
/// asks for them, and never in a release.
let sabotage: [SwiftSetting] =
    Context.environment["SATCHEL_SABOTAGE"] != nil
    ? [.define("SABOTAGE")]
    : [
        .define("SABOTAGE", .when(configuration: .debug)),
        // The names of the faults have no business in a release either.
        .unsafeFlags(
            ["-Xfrontend", "-disable-reflection-metadata"], .when(configuration: .release)),
    ]

/// A system library, in a release as an archive: each shared one makes every start slower.
func library(_ name: String) -> [LinkerSetting] {
    [
        .linkedLibrary(name, .when(configuration: .debug)),
        .linkedLibrary(":lib\(name).a", .when(configuration: .release)),
    ]
}

func tests(
    _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = [],
    resources: [Resource] = []
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies, exclude: exclude, resources: resources,
        swiftSettings: strict)
}

let package = Package(
    name: "satchel",
    products: [
        .executable(name: "satchel", targets: ["satchel"]),
        .executable(name: "satchel-backend-folder", targets: ["satchel-backend-folder"]),
        .executable(name: "satchel-backend-graphql", targets: ["satchel-backend-graphql"]),
    ],
    targets: [
        .systemLibrary(name: "CSQLite"),
        .systemLibrary(name: "CReadline"),
        .systemLibrary(name: "CSystem"),
        .systemLibrary(name: "CCurl"),
        .systemLibrary(name: "CCrypto"),
        .systemLibrary(name: "CWebSockets"),
        .target(
            name: "CSimdJSON",
            cxxSettings: [.unsafeFlags(["-O2", "-fno-exceptions"])],
            linkerSettings: [.linkedLibrary("simdjson")]),
        .target(name: "Sabotage", swiftSettings: strict + sabotage),
        module("JSON", ["CSimdJSON"]),
        module("Platform", ["CSystem"]),
        module("Records", ["JSON"]),
        module(
            "Storage", ["CSQLite", "Records", "JSON", "Platform"], links: library("sqlite3")),
        module("Outbox", ["Storage", "Records", "JSON", "Sabotage"]),
        module("Sync", ["Outbox", "Storage", "Records", "JSON", "Sabotage"]),
        module("Plugins", ["Sync", "Records", "JSON", "Platform", "CSystem"]),
        module("PluginKit", ["Records", "JSON", "Platform"]),
        module(
            "Shell",
            ["Sync", "Outbox", "Plugins", "Storage", "Records", "JSON", "Platform", "CReadline"],
            links: library("readline") + library("tinfo")),
        .executableTarget(
            name: "satchel", dependencies: ["Shell", "Platform"], swiftSettings: strict),
        .executableTarget(
            name: "satchel-backend-folder",
            dependencies: [
                "PluginKit", "Records", "JSON", "Platform", "CSimdJSON", "CSystem",
            ], swiftSettings: strict),
        // The only program that talks to the network by itself: its libraries stay shared, so that
        // the system's fixes reach it.
        .executableTarget(
            name: "satchel-backend-graphql",
            dependencies: [
                "PluginKit", "Records", "JSON", "Platform", "CCurl", "CCrypto", "CWebSockets",
            ], swiftSettings: strict,
            linkerSettings: [
                .linkedLibrary("curl"), .linkedLibrary("crypto"), .linkedLibrary("websockets"),
            ]),
        tests("PlatformTests", ["Platform"]),
        tests("JSONTests", ["JSON"]),
        tests("RecordsTests", ["Records", "JSON"]),
        tests("StorageTests", ["CSQLite", "Storage", "Records", "JSON", "Platform"]),
        tests("OutboxTests", ["Outbox", "Storage", "Records", "JSON", "Platform"]),
        tests("SyncTests", ["Sync", "Outbox", "Storage", "Records", "JSON", "Platform"]),
        tests(
            "PluginsTests",
            ["satchel-backend-folder", "Plugins", "Sync", "Records", "JSON", "Platform"]),
        tests(
            "PluginKitTests",
            [
                "satchel-backend-folder", "PluginKit", "Plugins", "Sync", "Records", "JSON",
                "Platform",
            ]),
        .target(
            name: "ServerHarness", dependencies: ["JSON", "Platform", "CSystem"],
            path: "Tests/ServerHarness", swiftSettings: strict),
        tests(
            "GraphQLTests",
            [
                "satchel-backend-graphql", "ServerHarness", "Plugins", "Sync", "PluginKit",
                "Records",
                "JSON", "Platform",
            ]),
        .executableTarget(
            name: "ShellProbe", dependencies: ["Shell", "Records", "Platform"],
            path: "Tests/ShellProbe", swiftSettings: strict),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "Plugins", "Sync", "Outbox", "Storage", "Records", "JSON", "Platform",
            ],
            path: "Tests/Benchmarks", exclude: ["satchel-backend-slow"], swiftSettings: strict),
        tests(
            "ShellTests",
            ["Shell", "ShellProbe", "Sync", "Storage", "Records", "JSON", "Platform"],
            exclude: ["Terminal/prompt.py", "Terminal/completion.py", "Terminal/terminal.py"]),
        tests(
            "EndToEndTests", ["ServerHarness", "JSON", "Platform", "CSystem"],
            exclude: [
                "prompt.py", "consent.py", "graphql-pair.graphql", "amplify-docs.graphql",
            ]),
        .target(
            name: "SimulatedWorld",
            dependencies: [
                "Sync", "Outbox", "Storage", "Records", "JSON", "Platform", "Sabotage",
            ], path: "Tests/SimulatedWorld", swiftSettings: strict + sabotage),
        .executableTarget(
            name: "simulate", dependencies: ["SimulatedWorld", "JSON", "Platform", "Sabotage"],
            path: "Tests/simulate", swiftSettings: strict),
        tests("Simulation", ["SimulatedWorld", "Platform", "Sabotage"], exclude: ["Corpus"]),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)
