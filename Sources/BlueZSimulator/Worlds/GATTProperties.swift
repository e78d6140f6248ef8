// SPDX-License-Identifier: MIT

/// The properties of a characteristic, with the bits of its declaration.
package struct GATTProperties: OptionSet, Sendable, Hashable, ExpressibleByIntegerLiteral {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }
  package init(integerLiteral value: UInt8) { rawValue = value }

  package static let broadcast = GATTProperties(rawValue: 0x01)
  package static let read = GATTProperties(rawValue: 0x02)
  package static let writeWithoutResponse = GATTProperties(rawValue: 0x04)
  package static let write = GATTProperties(rawValue: 0x08)
  package static let notify = GATTProperties(rawValue: 0x10)
  package static let indicate = GATTProperties(rawValue: 0x20)
  package static let signedWrite = GATTProperties(rawValue: 0x40)
  package static let extended = GATTProperties(rawValue: 0x80)

  /// Whether a client can subscribe.
  var isSubscribable: Bool { !isDisjoint(with: [.notify, .indicate]) }

  /// Each property and its name.
  static let names: [(property: GATTProperties, name: String)] = [
    (.broadcast, "broadcast"), (.read, "read"), (.writeWithoutResponse, "write-without-response"),
    (.write, "write"), (.notify, "notify"), (.indicate, "indicate"),
    (.signedWrite, "authenticated-signed-writes"), (.extended, "extended-properties"),
  ]

  /// The names of the properties, as in the D-Bus property `Flags`.
  var flags: [String] { GATTProperties.names.filter { contains($0.property) }.map(\.name) }
}
