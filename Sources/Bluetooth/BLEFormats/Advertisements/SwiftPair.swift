// SPDX-License-Identifier: MIT

/// A peripheral that asks Windows to offer pairing, in manufacturer data of company 0006: "Bluetooth Swift Pair",
/// Microsoft.
public struct SwiftPair: AdvertisedFormat, Hashable {
  /// Microsoft's company identifier.
  public static let company: UInt16 = 0x0006

  /// The pairing scenario; 0 is LE only.
  public let scenario: UInt8
  /// The display name; nil if it sends none, or if the scenario is not LE only.
  public let displayName: String?
  /// The bytes that are not decoded: those of the other scenarios, or behind the name.
  public let rest: [UInt8]

  /// Decodes the bytes after the company identifier, `03`, a scenario, a reserved byte and more; else nil.
  public init?(data: [UInt8]) {
    guard data.count >= 3, data[0] == 0x03 else { return nil }
    scenario = data[1]
    let name = data.dropFirst(3).prefix { $0 != 0 }
    displayName = scenario == 0 && !name.isEmpty ? String(decoding: name, as: UTF8.self) : nil
    let behind = data.dropFirst(scenario == 0 ? 3 + name.count : 3)
    rest = behind.allSatisfy { $0 == 0 } ? [] : Array(behind)
  }

  /// The name of the format for programs.
  public var type: String { "swift-pair" }
  /// The name of the format for people.
  public var label: String { "Swift Pair" }
  /// The values, with their units in the keys.
  public var fields: DecodedFields {
    var fields = DecodedFields()
    if let displayName { fields.add("display_name", .text(displayName)) }
    fields.add("scenario", .integer(Int(scenario)), label: "scenario")
    fields.rest = rest
    return fields
  }
}
