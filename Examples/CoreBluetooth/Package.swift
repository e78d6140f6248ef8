// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT
import PackageDescription

/// Programs for Apple's CoreBluetooth, which the same manifest builds on macOS and on Linux.
let package = Package(
  name: "CoreBluetoothExamples",
  platforms: [.macOS(.v14)],
  dependencies: [.package(name: "blectl", path: "../..", traits: [])],
  targets: [
    "Peripheral", "Central", "Requests", "ChannelServer", "ChannelClient", "Helper", "PianoTeacher", "Band",
  ].map { name in
    .executableTarget(
      name: name,
      dependencies: [
        .product(name: "CoreBluetooth", package: "blectl", condition: .when(platforms: [.linux]))
      ])
  },
  swiftLanguageModes: [.v6]
)
