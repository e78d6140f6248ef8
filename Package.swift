// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT
import PackageDescription

/// What every Swift target is compiled with: the stricter rules of the next language version, and no warnings.
let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InferIsolatedConformances"),
  .treatAllWarnings(as: .error),
]

/// The log of the libraries.
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")

/// The houses that the folders of Sources and Tests are: each uses those before it, but Apple's and the lab, which do not
/// know each other.
enum House: String {
  case ground = "Ground"
  case bluetooth = "Bluetooth"
  case apple = "Apple"
  case lab = "Lab"
  case tool = "Tool"
}

/// A Swift target in the folder of its house.
func target(
  _ house: House, _ name: String, _ dependencies: Target.Dependency..., resources: [Resource] = [],
  plugins: [Target.PluginUsage] = []
) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "Sources/\(house.rawValue)/\(name)", resources: resources,
    swiftSettings: strict, plugins: plugins)
}

/// The tests of a target, in the folder of its house.
func tests(
  _ house: House, _ subject: String, _ dependencies: Target.Dependency..., exclude: [String] = []
) -> Target {
  .testTarget(
    name: "\(subject)Tests", dependencies: [.byName(name: subject)] + dependencies,
    path: "Tests/\(house.rawValue)/\(subject)Tests", exclude: exclude, swiftSettings: strict)
}

let package = Package(
  name: "blectl",
  products: [
    // Not blectl, which a root package has anyway: SwiftPM would build it for clients, who may lack ArgumentParser.
    .library(name: "BLECentral", targets: ["BLECentral"]),
    .library(name: "BLEPeripheral", targets: ["BLEPeripheral"]),
    .library(name: "BLEUpdate", targets: ["BLEUpdate"]),
    .library(name: "BLEFormats", targets: ["BLEFormats"]),
    .library(name: "CoreBluetooth", targets: ["CoreBluetooth"]),
    .library(name: "BLETesting", targets: ["BLETesting"]),
  ],
  traits: [
    .trait(
      name: "CommandLine",
      description: "The command blectl. Without it, only swift-log is resolved: `traits: []`."),
    .default(enabledTraits: ["CommandLine"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
  ],
  targets: [
    // The ground: an event loop, D-Bus and JSON; nothing here knows about Bluetooth.
    .systemLibrary(
      name: "CDBus", path: "Sources/Ground/CDBus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"])]),
    // System calls, and libraries that are loaded at the first use, as far as Swift cannot call them directly.
    .target(name: "CPlatform", path: "Sources/Ground/CPlatform", linkerSettings: [.linkedLibrary("dl")]),
    target(.ground, "AsyncIO", "CPlatform"),
    target(.ground, "DBus", "AsyncIO", "CDBus", "CPlatform", logging),
    target(.ground, "JSON"),

    // Bluetooth: the public libraries.
    target(.bluetooth, "BLEFormats", "CPlatform", "JSON"),
    target(.bluetooth, "BlueZClient", "BLEFormats", "AsyncIO", "CPlatform", "DBus", logging),
    target(.bluetooth, "BLECentral", "BlueZClient", "BLEFormats", "AsyncIO", "DBus", logging),
    target(.bluetooth, "BLEUpdate", "BLECentral", "BlueZClient", "BLEFormats", "AsyncIO"),
    target(.bluetooth, "BLEPeripheral", "BlueZClient", "BLEFormats", "AsyncIO", "CPlatform", "DBus", logging),

    // Apple's interface: the only targets on Foundation, which no other one imports.
    .target(name: "CCoreBluetooth", path: "Sources/Apple/CCoreBluetooth"),
    target(
      .apple, "CoreBluetooth", "CCoreBluetooth", "BLECentral", "BLEPeripheral", "BlueZClient", "BLEFormats",
      "AsyncIO"),

    // The lab: worlds of peripherals, and a bluetoothd that plays them. The simulator imports no client of BlueZ.
    target(.lab, "BLEWorld", "BLEFormats", "AsyncIO", "JSON"),
    target(.lab, "PeripheralEmulator", "BLEWorld", "BLEFormats", "AsyncIO"),
    target(.lab, "BlueZSimulator", "PeripheralEmulator", "BLEWorld", "BLEFormats", "AsyncIO", "DBus"),
    target(.lab, "BLETesting", "BlueZSimulator", "BLEWorld", "BlueZClient", "BLEFormats"),

    // The tool.
    target(.tool, "TerminalOutput", "AsyncIO", "JSON"),
    target(
      .tool, "ValueStreams", "TerminalOutput", "BLECentral", "BLEPeripheral", "BLEFormats", "AsyncIO", "JSON"),
    target(.tool, "Histories"),
    target(
      .tool, "ValueLogs", "Histories", "ValueStreams", "TerminalOutput", "BLECentral", "BLEFormats",
      "CPlatform",
      "AsyncIO", "JSON"),
    target(
      .tool, "Charts", "Histories", "ValueStreams", "TerminalOutput", "BLECentral", "BLEFormats"),
    target(.tool, "BluetoothProxy", "BLECentral", "BLEFormats", "AsyncIO", "DBus"),
    target(
      .tool, "WebServer", "Histories", "BlueZClient", "BLEFormats", "AsyncIO", "JSON",
      .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["CommandLine"])),
      .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["CommandLine"])),
      .product(name: "NIOHTTP1", package: "swift-nio", condition: .when(traits: ["CommandLine"])),
      resources: [.embedInCode("Page")]),
    target(
      .tool, "Doctor", "TerminalOutput", "BLECentral", "BlueZClient", "AsyncIO", "DBus", "JSON", logging),
    target(
      .tool, "BlectlArguments", "TerminalOutput", "ValueStreams", "ValueLogs", "BLECentral", "BLEFormats",
      "JSON",
      "AsyncIO"),
    target(
      .tool, "BlectlSession", "BlectlArguments", "TerminalOutput", "ValueLogs", "ValueStreams", "Histories",
      "WebServer", "BLECentral", "BLEPeripheral", "BLEFormats", "BlueZSimulator", "BLEWorld", "AsyncIO",
      "DBus",
      "JSON", logging),
    target(
      .tool, "BlectlSerial", "BlectlSession", "BlectlArguments", "TerminalOutput", "BLECentral",
      "BLEPeripheral",
      "BlueZClient", "BLEFormats", "AsyncIO", "CPlatform", "JSON", "ValueStreams"),
    target(
      .tool, "BlectlScripting", "BlectlSession", "BlectlArguments", "TerminalOutput", "ValueStreams",
      "ValueLogs",
      "BLECentral", "BLEFormats", "CPlatform", "AsyncIO", "JSON"),
    target(
      .tool, "BlectlCommands", "BlectlArguments", "BlectlSession", "BlectlScripting", "BlectlSerial",
      "BluetoothProxy",
      "TerminalOutput", "ValueStreams", "ValueLogs", "Charts", "Doctor", "WebServer", "BLECentral",
      "BLEPeripheral", "BLEUpdate",
      "BlueZClient", "BLEFormats", "BlueZSimulator", "PeripheralEmulator", "BLEWorld", "AsyncIO", "DBus",
      "JSON",
      logging,
      .product(
        name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["CommandLine"])),
      plugins: ["HelpPages"]),
    .plugin(name: "HelpPages", capability: .buildTool()),
    .executableTarget(
      name: "blectl", dependencies: ["BlectlCommands"], path: "Sources/Tool/blectl", swiftSettings: strict),

    // Tests: the same houses and folders as the sources; the contract runs on the simulator and on a real bluetoothd.
    .target(
      name: "TestWorlds", dependencies: ["BlueZSimulator", "BLEWorld", "BLEFormats"],
      path: "Tests/Support/TestWorlds", swiftSettings: strict),
    .target(
      name: "TestSupport",
      dependencies: [
        "TestWorlds", "BLECentral", "BLEFormats", "TerminalOutput", "ValueStreams", "BlueZSimulator",
        "BLEWorld",
        "AsyncIO", "JSON", "CPlatform", "DBus",
      ],
      path: "Tests/Support/TestSupport", swiftSettings: strict),
    .executableTarget(
      name: "fed-page", dependencies: ["WebServer", "JSON"], path: "Tests/Support/FedPage",
      swiftSettings: strict),
    tests(.ground, "JSON", "TestSupport"),
    tests(.ground, "AsyncIO", "TestSupport"),
    tests(.ground, "DBus", "AsyncIO", "TestSupport"),
    tests(.bluetooth, "BLEFormats", "JSON", "TestSupport"),
    tests(.bluetooth, "BlueZClient", "BLEFormats", "AsyncIO", "DBus", "TestSupport"),
    tests(.bluetooth, "BLECentral", "BlueZClient", "AsyncIO", "DBus", "TestSupport"),
    tests(.bluetooth, "BLEUpdate", "BLECentral", "BLEFormats", "BLEWorld"),
    tests(.bluetooth, "BLEPeripheral", "BlueZClient", "DBus"),
    tests(
      .apple, "CoreBluetooth", "BLECentral", "BlueZSimulator", "BLEWorld", "AsyncIO", "DBus", "TestSupport"),
    // The same file as above, as programs in the older language mode see the interface.
    .testTarget(
      name: "CoreBluetoothSurface5Tests", dependencies: ["CoreBluetooth"],
      path: "Tests/Apple/CoreBluetoothSurface5Tests",
      swiftSettings: [.swiftLanguageMode(.v5), .treatAllWarnings(as: .error)]),
    tests(.lab, "BLEWorld", "BLEFormats", "JSON", "TestSupport", exclude: ["WorldFiles/BadWorlds.txt"]),
    tests(.lab, "PeripheralEmulator", "BLEWorld", "BLEFormats", "AsyncIO", "TestSupport"),
    tests(.lab, "BLETesting", "BLECentral", "CoreBluetooth"),
    tests(
      .lab, "BlueZSimulator", "PeripheralEmulator", "BLEWorld", "BLEFormats", "AsyncIO", "DBus", "TestSupport"
    ),
    tests(.tool, "TerminalOutput", "AsyncIO", "JSON", "TestSupport"),
    tests(.tool, "ValueStreams", "TerminalOutput", "BLECentral", "BLEFormats", "AsyncIO", "TestSupport"),
    tests(
      .tool, "ValueLogs", "Histories", "ValueStreams", "TerminalOutput", "BLECentral", "BLEFormats",
      "AsyncIO",
      "JSON", "TestSupport"),
    tests(
      .tool, "Charts", "Histories", "ValueStreams", "TerminalOutput", "BLECentral", "BLEFormats",
      "TestSupport"),
    tests(.tool, "Histories", "TestSupport"),
    tests(
      .tool, "BluetoothProxy", "BLECentral", "BlueZSimulator", "BLEWorld", "BLEFormats", "AsyncIO", "DBus",
      "JSON", "TestSupport"),
    tests(.tool, "WebServer", "Histories", "BlueZClient", "BLEFormats", "AsyncIO", "JSON", "TestSupport"),
    tests(.tool, "Doctor", "AsyncIO", "DBus", "TestSupport"),
    tests(
      .tool, "BlectlArguments", "ValueStreams", "ValueLogs", "BLECentral", "BLEFormats", "TestSupport"),
    tests(
      .tool, "BlectlSession", "BlectlArguments", "TerminalOutput", "ValueStreams", "BLECentral", "AsyncIO",
      "DBus", "JSON", "TestSupport"),
    tests(
      .tool, "BlectlSerial", "BlectlArguments", "BlueZClient", "BLEFormats", "AsyncIO", "TestSupport"),
    tests(
      .tool, "BlectlScripting", "BlectlSession", "BlectlArguments", "ValueStreams", "BLECentral",
      "TestSupport"),
    tests(
      .tool, "BlectlCommands", "BlectlScripting", "BlectlArguments", "BluetoothProxy", "TerminalOutput",
      "ValueStreams", "ValueLogs", "BLECentral", "BLEPeripheral", "BLEUpdate", "BlueZClient", "BLEFormats",
      "BlueZSimulator",
      "PeripheralEmulator", "BLEWorld", "AsyncIO", "DBus", "TestSupport"),
    .testTarget(
      name: "ContractTests",
      dependencies: [
        "BLECentral", "BLEPeripheral", "BLEUpdate", "BLEFormats", "BlueZSimulator", "BLEWorld", "AsyncIO",
        "DBus", "TestSupport",
      ], swiftSettings: strict),
    .testTarget(
      name: "EndToEndTests",
      dependencies: ["BLEFormats", "BlueZSimulator", "BLEWorld", "AsyncIO", "DBus", "JSON", "TestSupport"],
      exclude: ["Snapshots"], swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)

// The fuzzers are a test that replays their corpora, so that they are always compiled. With BLECTL_FUZZ they are a
// program on libFuzzer instead; Scripts/fuzz.sh builds it, with sanitizers.
let isFuzzing = Context.environment["BLECTL_FUZZ"] != nil
let fuzzed: [Target.Dependency] = [
  "BlectlCommands", "BlectlScripting", "BlectlArguments", "BlectlSession", "TerminalOutput", "ValueStreams",
  "BLECentral", "BLEPeripheral", "BlueZClient", "BLEFormats", "BLEWorld", "WebServer", "BluetoothProxy",
  "AsyncIO", "DBus", "JSON", "TestSupport", logging,
]
package.targets.append(
  isFuzzing
    ? .executableTarget(
      name: "fuzz", dependencies: fuzzed, path: "Fuzz",
      exclude: ["Corpus", "Dictionaries", "corpus.py", "Replay"], swiftSettings: strict,
      linkerSettings: [.unsafeFlags(["-sanitize=fuzzer"])])
    : .testTarget(
      name: "FuzzTests", dependencies: fuzzed, path: "Fuzz",
      exclude: ["Corpus", "Dictionaries", "corpus.py", "Driver"], swiftSettings: strict))

// Only the tests of some targets are compiled with a sanitizer: Scripts/parts/sanitizers.sh.
if let chosen = Context.environment["BLECTL_TESTS"]?.split(separator: " ").map(String.init) {
  package.targets.removeAll { $0.type == .test && !chosen.contains($0.name) }
}

// Programs that only scripts run: those of the benchmarks, and the contract suite's world for tests in Python.
if Context.environment["BLECTL_TOOLS"] != nil {
  let parser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
  func tool(_ name: String, in folder: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, path: folder, swiftSettings: strict)
  }
  let (bench, system) = ("Benchmarks/harness", "Tests/System")
  package.targets += [
    tool(
      "bench-world", in: "\(bench)/bench-world",
      ["TestWorlds", "BLECentral", "BLEFormats", "BlueZSimulator", "BLEWorld", parser]),
    tool("bench-library", in: "\(bench)/bench-library", ["BLECentral", parser]),
    tool("bench-peripheral", in: "\(bench)/bench-peripheral", ["BLEPeripheral", parser]),
    tool("bench-corebluetooth", in: "\(bench)/bench-corebluetooth", ["CoreBluetooth"]),
    tool(
      "contract-world", in: "\(system)/ContractWorld",
      ["TestWorlds", "BLEFormats", "BlueZSimulator", "BLEWorld"]),
    tool(
      "all-fields", in: "\(system)/HomeAssistant/AllFields",
      ["TestSupport", "BLECentral", "BLEFormats", "ValueLogs", "ValueStreams"]),
    tool("advert-decoder", in: "\(system)/Comparison/AdvertDecoder", ["BLEFormats", "ValueStreams", "JSON"]),
  ]
}
