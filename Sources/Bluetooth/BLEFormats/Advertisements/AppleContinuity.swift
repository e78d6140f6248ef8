// SPDX-License-Identifier: MIT

/// Messages between Apple's devices, in manufacturer data of company 004C: only their types.
///
/// Apple does not publish their contents. The types are from "Handoff All Your Privacy" (Martin et al., PoPETs
/// 2019) and "Discontinued Privacy" (Celosia and Cunche, PoPETs 2020).
public struct AppleContinuity: AdvertisedFormat, Hashable {
  /// The types of the messages, in order.
  public let messages: [UInt8]
  /// The bytes of a last message that is cut off.
  public let rest: [UInt8]

  /// Decodes the bytes after the company identifier: for each message a type, a length and its contents.
  ///
  /// Returns nil if no message is complete.
  public init?(data: [UInt8]) {
    // The overflow area has no length.
    if data.first == 0x01, data.count == 17 {
      (messages, rest) = ([0x01], [])
      return
    }
    var reader = ByteReader(data)
    var types: [UInt8] = []
    while !reader.rest.isEmpty {
      var ahead = reader
      guard let type = ahead.unsigned(1), let length = ahead.unsigned(1), ahead.bytes(length) != nil else {
        break
      }
      types.append(UInt8(type))
      reader = ahead
    }
    guard !types.isEmpty else { return nil }
    (messages, rest) = (types, reader.remainder())
  }

  /// The name of the format for programs.
  public var type: String { "apple-continuity" }
  /// The name of the format for people.
  public var label: String { "Apple" }
  /// The values, with their units in the keys.
  public var fields: DecodedFields {
    var fields = DecodedFields()
    fields.add("messages", .list(messages.map { .text(AppleContinuity.name(of: $0)) }))
    fields.rest = rest
    if !rest.isEmpty { fields.problems.append("the last message is cut off") }
    return fields
  }

  /// Returns the name of a type of message, or its number.
  public static func name(of type: UInt8) -> String { names[type] ?? "type 0x" + Hex.string([type]) }

  private static let names: [UInt8: String] = [
    0x01: "overflow area", 0x02: "iBeacon", 0x03: "AirPrint", 0x05: "AirDrop", 0x06: "HomeKit",
    0x07: "AirPods",
    0x08: "Hey Siri", 0x09: "AirPlay target", 0x0a: "AirPlay source", 0x0b: "Magic Switch", 0x0c: "Handoff",
    0x0d: "tethering target", 0x0e: "tethering source", 0x0f: "Nearby Action", 0x10: "Nearby Info",
    0x12: "Find My",
  ]
}
