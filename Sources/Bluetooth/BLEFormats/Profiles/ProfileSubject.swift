// SPDX-License-Identifier: MIT

/// The device whose values are decoded, as far as it is known.
public struct ProfileSubject: Sendable, Hashable {
  /// Its address.
  public var address: BluetoothAddress?
  /// All names that it has: the one that it sends, its alias, and one of your own.
  public var names: [String]

  /// Creates a subject; each parameter sets the property of its name.
  public init(address: BluetoothAddress? = nil, names: [String] = []) {
    (self.address, self.names) = (address, names)
  }
}

/// A pattern that selects devices by their address, or by a shell pattern of their names.
struct DevicePattern: Sendable, Hashable {
  private let address: BluetoothAddress?
  private let names: ShellPattern

  init(_ text: String) {
    address = BluetoothAddress(text)
    names = ShellPattern(text)
  }

  func matches(_ device: ProfileSubject?) -> Bool {
    guard let device else { return false }
    if let address { return device.address == address }
    return device.names.contains { names.matchesName($0) }
  }
}
