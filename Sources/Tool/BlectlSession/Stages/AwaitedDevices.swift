// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BlectlArguments
internal import ValueStreams

/// The devices that alarms are for, until they are heard: one of the others may be meant.
struct AwaitedDevices: Sendable {
  private var missing: [DeviceArgument]
  /// The names that were heard meanwhile.
  private var names: Set<String> = []

  /// Strangers may invent names.
  private static let mostNames = 256

  init(_ devices: [DeviceArgument]) {
    missing = devices.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  /// Takes a device that was heard.
  mutating func heard(_ device: HeardDevice) {
    if missing.isEmpty { return }
    missing.removeAll { $0.rank(of: device) != nil }
    if names.count < Self.mostNames, let name = device.name { names.insert(name) }
  }

  /// Returns a sentence for each one that was not heard, once.
  mutating func takeRemarks() -> [String] {
    defer { missing = [] }
    return missing.map { device in
      switch device {
      case .address(let address): "--when: no values came from a device at \(address)"
      case .name, .resolved:
        "--when: no values came from a device called '\(device)'\(device.advice(among: names))"
      }
    }
  }
}
