// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT
import PackageDescription

/// A package of its own, so that the examples see what any other program sees: the public API.
let package = Package(
  name: "Examples",
  dependencies: [.package(name: "blectl", path: "..", traits: [])],
  targets: [
    ("Wristband", "BLECentral"), ("Piano", "BLECentral"), ("ClockReader", "BLECentral"),
    ("Clock", "BLEPeripheral"),
  ].map { name, library in
    .executableTarget(
      name: name, dependencies: [.product(name: library, package: "blectl")],
      swiftSettings: [
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .treatAllWarnings(as: .error),
      ])
  },
  swiftLanguageModes: [.v6]
)
