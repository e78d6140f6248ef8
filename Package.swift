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

/// Tests with the same folders as the sources.
func tests(_ name: String, _ dependencies: Target.Dependency...) -> Target {
  .testTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

let package = Package(
  name: "blectl",
  products: [
    // Not blectl, which a root package has anyway: SwiftPM would build it for clients, who may lack ArgumentParser.
    .library(name: "BLECentral", targets: ["BLECentral"]),
    .library(name: "BLEPeripheral", targets: ["BLEPeripheral"]),
    .library(name: "BLEMeaning", targets: ["BLEMeaning"]),
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
    .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
  ],
  targets: [
    // L0: libdbus-1, as C has it.
    .systemLibrary(name: "CDBus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"])]),
    .target(name: "CAsyncIO"),
    // L1: the event loop, and what waits on it: timers, promises, streams of packets.
    .target(name: "AsyncIO", dependencies: ["CAsyncIO", "CSpawn"], swiftSettings: strict),
    // L1: D-Bus for Swift; knows nothing of Bluetooth.
    .target(
      name: "DBus", dependencies: ["AsyncIO", "CAsyncIO", "CDBus", logging], swiftSettings: strict),
    // Libraries that are loaded at the first use: libcrypto, SQLite, libmosquitto and the line editor.
    .target(name: "CDynamicLibrary", linkerSettings: [.linkedLibrary("dl")]),
    .target(name: "CCrypto", dependencies: ["CDynamicLibrary"]),
    .target(name: "CSQLite", dependencies: ["CDynamicLibrary"]),
    .target(name: "CMosquitto", dependencies: ["CDynamicLibrary"]),
    .target(name: "CLineEditor", dependencies: ["CDynamicLibrary"]),
    .target(name: "Ciphers", dependencies: ["CCrypto"], swiftSettings: strict),
    // What the numbers and the bytes of Bluetooth mean: pure functions, usable alone.
    .target(name: "BLEMeaning", dependencies: ["Ciphers", "JSON"], swiftSettings: strict),
    // The language of scripts: words, statements, loops and variables; knows no command.
    .target(name: "ScriptLanguage", dependencies: ["BLEMeaning"], swiftSettings: strict),
    // Reading and writing JSON; knows nothing else.
    .target(name: "JSON", swiftSettings: strict),
    // What every client of BlueZ needs: its names, errors, deadlines, and streams of events.
    .target(
      name: "BLECore",
      dependencies: ["BLEMeaning", "AsyncIO", "CAsyncIO", "DBus", logging],
      swiftSettings: strict),
    // Following BlueZ, whatever the role: one connection, one model of its objects, their changes, outages and calls.
    .target(
      name: "BlueZClient", dependencies: ["BLECore", "AsyncIO", "DBus", logging], swiftSettings: strict),
    // L2: the public libraries, and beside them (never importing each other) a simulated BlueZ.
    .target(
      name: "BLECentral", dependencies: ["BlueZClient", "BLECore", "BLEMeaning", "AsyncIO", "DBus", logging],
      swiftSettings: strict),
    .target(
      name: "BLEPeripheral",
      dependencies: ["BlueZClient", "BLECore", "BLEMeaning", "AsyncIO", "CAsyncIO", "DBus", logging],
      swiftSettings: strict),
    // The names of the submodules of Apple's framework.
    .target(name: "CCoreBluetooth"),
    // The interface of Apple's framework: the only target on Foundation, which no other one imports.
    .target(
      name: "CoreBluetooth",
      dependencies: [
        "CCoreBluetooth", "BLECentral", "BLEPeripheral", "BlueZClient", "BLECore", "BLEMeaning", "AsyncIO",
      ], swiftSettings: strict),
    // Starting programs, and waiting for their end.
    .target(name: "CSpawn"),
    // Worlds of peripherals as data: their files, their faults, their values that change.
    .target(name: "BLEWorld", dependencies: ["BLEMeaning", "AsyncIO", "JSON"], swiftSettings: strict),
    // The attributes of a peripheral and what happens to them; for a simulated radio, or for a real adapter.
    .target(
      name: "PeripheralEmulator", dependencies: ["BLEWorld", "BLEMeaning", "AsyncIO"], swiftSettings: strict),
    // A simulated bluetoothd over a world, on a bus of its own.
    .target(
      name: "BlueZSimulator",
      dependencies: ["PeripheralEmulator", "BLEWorld", "BLEMeaning", "AsyncIO", "DBus"],
      swiftSettings: strict),
    // The simulated bluetoothd for tests of other programs.
    .target(
      name: "BLETesting", dependencies: ["BlueZSimulator", "BLEWorld", "BLECore", "BLEMeaning"],
      swiftSettings: strict),
    // L3: what the command line is made of.
    .target(name: "TerminalOutput", dependencies: ["AsyncIO", "JSON"], swiftSettings: strict),
    .target(
      name: "ValueStreams",
      dependencies: ["TerminalOutput", "BLECentral", "BLEPeripheral", "BLEMeaning", "AsyncIO", "JSON"],
      swiftSettings: strict),
    .target(
      name: "ValueLogs",
      dependencies: [
        "Histories", "ValueStreams", "TerminalOutput", "BLECentral", "BLEMeaning", "CSQLite", "CMosquitto",
        "AsyncIO", "CAsyncIO", "JSON",
      ], swiftSettings: strict),
    // Numbers over time in bounded memory.
    .target(name: "Histories", swiftSettings: strict),
    .target(
      name: "Charts",
      dependencies: ["Histories", "ValueStreams", "TerminalOutput", "BLECentral", "BLEMeaning", "AsyncIO"],
      swiftSettings: strict),
    // The web page: what blectl and blectl-web say to each other; what it shows; its server; its program.
    .target(name: "WebLink", dependencies: ["Histories", "JSON"], swiftSettings: strict),
    .target(name: "WebModel", dependencies: ["Histories", "BLEMeaning", "JSON"], swiftSettings: strict),
    .target(
      name: "WebServer",
      dependencies: [
        "WebLink", "WebModel", "Histories", "BLECore", "AsyncIO", "JSON",
        .product(name: "FlyingFox", package: "FlyingFox", condition: .when(traits: ["CommandLine"])),
        .product(name: "FlyingSocks", package: "FlyingFox", condition: .when(traits: ["CommandLine"])),
      ], resources: [.embedInCode("Page")], swiftSettings: strict),
    .executableTarget(name: "blectl-web", dependencies: ["WebServer"], swiftSettings: strict),
    .target(
      name: "Doctor",
      dependencies: ["TerminalOutput", "BLECentral", "BlueZClient", "AsyncIO", "DBus", "JSON", logging],
      swiftSettings: strict),
    // L4: the command line. What the words of its arguments mean, and its errors.
    .target(
      name: "BlectlArguments",
      dependencies: [
        "TerminalOutput", "ValueStreams", "ValueLogs", "ScriptLanguage", "BLECentral", "BLEMeaning", "JSON",
        "AsyncIO",
      ], swiftSettings: strict),
    // What a command runs with: the bus, connections, pairings, subscriptions, the terminal's dialogue, child processes.
    .target(
      name: "BlectlSession",
      dependencies: [
        "BlectlArguments", "TerminalOutput", "ValueLogs", "ValueStreams", "Charts", "WebLink", "BLECentral",
        "BLEPeripheral",
        "BLEMeaning", "BlueZSimulator", "BLEWorld", "AsyncIO", "DBus", "JSON", logging,
      ], swiftSettings: strict),
    // The live scan: what it shows, and its keys.
    .target(
      name: "ScanUI",
      dependencies: [
        "BlectlSession", "BlectlArguments", "TerminalOutput", "ValueStreams", "BLECentral", "AsyncIO",
      ], swiftSettings: strict),
    // Peripherals of a world file, and advertisements, on a real adapter.
    .target(
      name: "BlectlServe",
      dependencies: [
        "BlectlSession", "BlectlArguments", "TerminalOutput", "ValueStreams", "BLECentral", "BLEPeripheral",
        "PeripheralEmulator", "BLEWorld", "AsyncIO", "JSON",
      ], swiftSettings: strict),
    // Serial ports over Bluetooth: the bytes of devices, and of centrals; knows no parser.
    .target(
      name: "BlectlSerial",
      dependencies: [
        "BlectlSession", "BlectlArguments", "TerminalOutput", "BLECentral", "BLEPeripheral", "BLECore",
        "BLEMeaning",
        "AsyncIO", "CAsyncIO", "Ciphers", "JSON", "ValueStreams",
      ], swiftSettings: strict),
    // Scripts on devices, their reports and records, and the shell; knows no command.
    .target(
      name: "BlectlScripting",
      dependencies: [
        "BlectlSession", "BlectlArguments", "ScriptLanguage", "TerminalOutput", "ValueStreams",
        "ValueLogs", "BLECentral", "BLEMeaning", "CLineEditor", "AsyncIO", "JSON",
      ], swiftSettings: strict),
    .target(
      name: "BlectlCommands",
      dependencies: [
        "BlectlArguments", "BlectlSession", "BlectlScripting", "BlectlSerial", "BlectlServe", "ScanUI",
        "TerminalOutput", "ValueStreams", "ValueLogs", "Charts", "Doctor", "WebLink", "ScriptLanguage",
        "BLECentral",
        "BLEPeripheral", "BlueZClient", "BLEMeaning", "BlueZSimulator", "PeripheralEmulator", "BLEWorld",
        "AsyncIO", "DBus", "JSON", logging,
        .product(
          name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["CommandLine"])),
      ], swiftSettings: strict),
    // L5: ten lines.
    .executableTarget(name: "blectl", dependencies: ["BlectlCommands"], swiftSettings: strict),
    // Tests: the same folders as the sources; the contract runs on the simulator and on a real bluetoothd.
    .target(
      name: "TestWorlds", dependencies: ["BlueZSimulator", "BLEWorld", "BLEMeaning"],
      path: "Tests/TestWorlds", swiftSettings: strict),
    .target(
      name: "TestSupport",
      dependencies: [
        "TestWorlds",
        "BLECentral", "TerminalOutput", "ValueStreams", "BlueZSimulator", "BLEWorld", "AsyncIO", "JSON",
        "CAsyncIO", "DBus",
      ],
      path: "Tests/TestSupport", swiftSettings: strict),
    tests("ScriptLanguageTests", "ScriptLanguage", "TestSupport"),
    tests("JSONTests", "JSON", "TestSupport"),
    tests("AsyncIOTests", "AsyncIO", "TestSupport"),
    tests("DBusTests", "AsyncIO", "DBus", "TestSupport"),
    tests("CiphersTests", "Ciphers"),
    tests("BLEMeaningTests", "BLEMeaning", "JSON", "TestSupport"),
    tests("BLECoreTests", "BLECore", "BLEMeaning", "AsyncIO", "DBus", "TestSupport"),
    tests("BlueZClientTests", "BlueZClient", "BLECore", "DBus", "TestSupport"),
    tests("BLECentralTests", "BLECentral", "BlueZClient", "AsyncIO", "DBus", "TestSupport"),
    tests("BLEPeripheralTests", "BLECore", "BLEPeripheral", "BlueZClient", "DBus"),
    tests(
      "CoreBluetoothTests", "CoreBluetooth", "BLECentral", "BlueZSimulator", "BLEWorld", "AsyncIO", "DBus",
      "TestSupport"),
    // The same file as above, as programs in the older language mode see the interface.
    .testTarget(
      name: "CoreBluetoothSurface5Tests", dependencies: ["CoreBluetooth"],
      swiftSettings: [.swiftLanguageMode(.v5), .treatAllWarnings(as: .error)]),
    .testTarget(
      name: "BLEWorldTests", dependencies: ["BLEWorld", "BLEMeaning", "JSON", "TestSupport"],
      exclude: ["WorldFiles/BadWorlds.txt"], swiftSettings: strict),
    tests(
      "PeripheralEmulatorTests", "PeripheralEmulator", "BLEWorld", "BLEMeaning", "AsyncIO", "TestSupport"),
    tests("BLETestingTests", "BLETesting", "BLECentral", "CoreBluetooth"),
    tests(
      "BlueZSimulatorTests", "BlueZSimulator", "PeripheralEmulator", "BLEWorld", "BLEMeaning", "AsyncIO",
      "DBus", "TestSupport"),
    tests("TerminalOutputTests", "TerminalOutput", "AsyncIO", "JSON", "TestSupport"),
    tests(
      "ValueStreamsTests", "ValueStreams", "TerminalOutput", "BLECentral", "BLEMeaning", "AsyncIO",
      "TestSupport"),
    tests(
      "ValueLogsTests", "ValueLogs", "Histories", "ValueStreams", "TerminalOutput", "BLECentral",
      "BLEMeaning", "AsyncIO", "JSON", "TestSupport"),
    tests(
      "ChartsTests", "Charts", "Histories", "ValueStreams", "TerminalOutput", "BLECentral", "BLEMeaning",
      "TestSupport"),
    tests("HistoriesTests", "Histories", "TestSupport"),
    tests("WebLinkTests", "WebLink", "Histories"),
    tests("WebModelTests", "WebModel", "Histories", "JSON"),
    tests(
      "WebServerTests", "WebServer", "WebLink", "WebModel", "Histories", "AsyncIO", "JSON", "TestSupport"),
    tests("DoctorTests", "Doctor", "DBus", "TestSupport"),
    tests(
      "BlectlArgumentsTests", "BlectlArguments", "ValueStreams", "ValueLogs", "BLECentral", "BLEMeaning",
      "TestSupport"),
    tests(
      "BlectlSessionTests", "BlectlSession", "BlectlArguments", "TerminalOutput", "ValueStreams",
      "BLECentral",
      "AsyncIO", "DBus", "JSON", "TestSupport"),
    tests(
      "BlectlServeTests", "BlectlServe", "BLEPeripheral", "BLEMeaning", "BlueZSimulator",
      "PeripheralEmulator", "BLEWorld", "AsyncIO", "TestSupport"),
    tests(
      "BlectlSerialTests", "BlectlSerial", "BlectlArguments", "BLECore", "BLEMeaning", "AsyncIO",
      "TestSupport"),
    tests(
      "ScanUITests", "ScanUI", "BlectlArguments", "TerminalOutput", "ValueStreams", "BLECentral", "AsyncIO"),
    tests(
      "BlectlScriptingTests", "BlectlScripting", "BlectlSession", "BlectlArguments", "ValueStreams",
      "BLECentral", "TestSupport"),
    tests(
      "BlectlCommandsTests", "BlectlCommands", "BlectlScripting", "BlectlArguments", "TerminalOutput",
      "ValueStreams", "ValueLogs", "ScriptLanguage", "BLECentral", "BLEPeripheral", "BlueZClient",
      "BLEMeaning",
      "PeripheralEmulator", "BLEWorld", "AsyncIO", "DBus", "TestSupport"),
    tests(
      "ContractTests", "BLECentral", "BLEPeripheral", "BLEMeaning", "BlueZSimulator", "BLEWorld", "AsyncIO",
      "DBus", "TestSupport"),
    .testTarget(
      name: "EndToEndTests",
      dependencies: ["BLEMeaning", "BlueZSimulator", "BLEWorld", "AsyncIO", "DBus", "JSON", "TestSupport"],
      exclude: ["Snapshots"], swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)

// The fuzzers are a test that replays their corpora, so that they are always compiled. With BLECTL_FUZZ they are a
// program on libFuzzer instead; Scripts/fuzz.sh builds it, with sanitizers.
let isFuzzing = Context.environment["BLECTL_FUZZ"] != nil
let fuzzed: [Target.Dependency] = [
  "BlectlCommands", "BlectlScripting", "BlectlArguments", "BlectlSession", "ScanUI", "TerminalOutput",
  "ValueStreams", "ScriptLanguage", "BLECentral", "BLEPeripheral", "BlueZClient", "BLEMeaning", "BLEWorld",
  "Ciphers", "WebServer", "WebLink", "AsyncIO", "DBus", "JSON", "TestSupport",
  logging,
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

// The tests of a sanitizer (BLECTL_SANITIZER), by target: the sources in which it can find something, or all of them, and
// those that are left out. What is not listed is neither compiled nor run with it: compiling takes most of the time.
typealias Selection = (only: [String], without: [String])
let sanitized: [String: [String: Selection]] = [
  // What can race: the loop and what waits on it, connections, sessions of the library, threads that write outputs and
  // logs, and the contract, with the library, the simulator and the binary. Each part of the simulator runs on one
  // loop; beside it are only processes, control connections and peripherals played by a real adapter. Values, models,
  // parsers, charts and texts are pure. The suites left out of the contract repeat commands and links that others use.
  "thread": [
    "AsyncIOTests": ([], []),
    "DBusTests": (["Connection", "Objects", "Support"], []),
    "BLECoreTests": (["Streams", "Waiting"], []),
    "BLECentralTests": (
      ["ClosingTests.swift", "Connection", "Events", "GATT", "Pairing", "Scanning", "Support", "Waiting"], []
    ),
    "CoreBluetoothTests": (["Central", "Channels", "PeripheralRole", "Support"], []),
    "BlueZSimulatorTests": (["Bus", "Control"], []),
    "PeripheralEmulatorTests": (["Emulation"], []),
    "TerminalOutputTests": ([], []),
    "ValueStreamsTests": ([], []),
    "ValueLogsTests": ([], []),
    "BlectlSessionTests": ([], []),
    "ContractTests": (
      [], ["BackToBack", "Commands", "Reconnecting", "Snapshots", "Streams"].map { "Contract+\($0).swift" }
    ),
  ],
  // What can overrun: unsafe pointers and C. That is the wire of D-Bus, packets of sockets, names searched in tables and
  // text of numbers, files of the system, terminals, logs in SQLite, and the processes and sockets of the simulator.
  // CoreBluetooth uses both libraries, which have no pointers of their own but those for sockets and numbers. The fuzzers
  // feed the decoders with more than their tests do.
  "address": [
    "AsyncIOTests": ([], []),
    "DBusTests": ([], []),
    "JSONTests": ([], []),
    "CiphersTests": ([], []),
    "BLEMeaningTests": (["AssignedNumbers", "Formats", "Identifiers"], []),
    "BLECoreTests": (["Values"], []),
    "CoreBluetoothTests": (["Central", "Channels", "PeripheralRole", "Support", "Values"], []),
    "BlueZSimulatorTests": (["Bus", "Control", "GATT"], []),
    "TerminalOutputTests": ([], []),
    "ValueStreamsTests": ([], []),
    "ValueLogsTests": ([], []),
    "DoctorTests": ([], []),
    "BlectlSessionTests": ([], []),
  ],
]
if let sanitizer = Context.environment["BLECTL_SANITIZER"] {
  guard let selections = sanitized[sanitizer] else { fatalError("BLECTL_SANITIZER is thread or address") }
  package.targets.removeAll { $0.type == .test && selections[$0.name] == nil }
  for name in selections.keys where !package.targets.contains(where: { $0.name == name }) {
    fatalError("There is no target \(name) for BLECTL_SANITIZER")
  }
  for target in package.targets {
    guard let (only, without) = selections[target.name] else { continue }
    target.sources = only.isEmpty ? nil : only
    target.exclude += without
  }
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
      ["TestWorlds", "BLECentral", "BLEMeaning", "BlueZSimulator", "BLEWorld", parser]),
    tool("bench-library", in: "\(bench)/bench-library", ["BLECentral", parser]),
    tool("bench-peripheral", in: "\(bench)/bench-peripheral", ["BLEPeripheral", parser]),
    tool("bench-corebluetooth", in: "\(bench)/bench-corebluetooth", ["CoreBluetooth"]),
    tool(
      "contract-world", in: "\(system)/ContractWorld",
      ["TestWorlds", "BLEMeaning", "BlueZSimulator", "BLEWorld"]),
    tool("advert-decoder", in: "\(system)/Comparison/AdvertDecoder", ["BLEMeaning", "ValueStreams", "JSON"]),
  ]
}
