// SPDX-License-Identifier: MIT

/// The size of notifications that arrive whole at every central of a service.
///
/// BlueZ tells the MTU of a link only with a write, and cuts what is longer.
package struct PacketSize: Sendable, Equatable {
  /// The size in bytes that every link carries.
  private static let least = 20

  /// The size in bytes: 20 until a central has written, then that of the smallest of the links.
  package private(set) var bytes = PacketSize.least
  private var isMeasured = false

  package init() {}

  /// Takes the MTU that came with a write; a notification has no more than `longest` bytes anyway.
  package mutating func note(mtu: Int, longest: Int) {
    let size = max(PacketSize.least, min(mtu - 3, longest))
    bytes = isMeasured ? min(bytes, size) : size
    isMeasured = true
  }
}
