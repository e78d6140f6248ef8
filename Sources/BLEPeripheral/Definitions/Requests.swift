// SPDX-License-Identifier: MIT

/// The other end of a link: a device that has connected to this machine.
public struct Central: Sendable, Hashable {
  /// Its address: a random one, which changes, until it is paired; then its identity address.
  public let address: BluetoothAddress
  /// Its name, once BlueZ has read it from the device.
  public let name: String?
  /// The object of the device, which stays the same when pairing reveals another address.
  let path: String

  /// The same device of BlueZ is the same central, also when pairing has revealed its identity address.
  public static func == (left: Central, right: Central) -> Bool { left.path == right.path }

  /// Hashes what makes it that central.
  public func hash(into hasher: inout Hasher) { hasher.combine(path) }
}

/// A central reads an attribute.
public struct ReadRequest: Sendable {
  /// Who reads.
  public let central: Central
  /// The UUID of the characteristic or descriptor.
  public let uuid: BluetoothUUID
  /// Where the central begins to read: mostly 0.
  ///
  /// The library cuts the value. The parts of a long value that follow the first are served from it, without a request.
  public let offset: Int
  /// The ATT MTU of the link: one response has room for one byte less.
  public let mtu: Int
}

/// A central writes an attribute.
///
/// BlueZ does not say whether the central waits for a response.
public struct WriteRequest: Sendable {
  /// Who writes.
  public let central: Central
  /// The UUID of the characteristic or descriptor.
  public let uuid: BluetoothUUID
  /// The bytes.
  public let value: [UInt8]
  /// Where in the value the bytes belong: mostly 0.
  ///
  /// A long write in order arrives as one request. Prepared writes to several attributes arrive one after another: if one
  /// is refused, those before it stay written. BlueZ offers no transaction.
  public let offset: Int
  /// The ATT MTU of the link.
  public let mtu: Int
}
