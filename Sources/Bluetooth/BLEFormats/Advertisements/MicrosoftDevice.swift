// SPDX-License-Identifier: MIT

/// A device that supports sharing, in manufacturer data of company 0006: "Connected Devices Platform Protocol"
/// [MS-CDP] 2.2.2.2.3.
public struct MicrosoftDevice: AdvertisedFormat, Hashable {
  /// The kind of device.
  public let deviceType: UInt8

  /// Decodes the bytes after the company identifier, `01`, the device type and more; returns nil for others.
  public init?(data: [UInt8]) {
    guard data.count >= 4, data[0] == 0x01 else { return nil }
    deviceType = data[1] & 0x1f
  }

  /// The name of the kind; nil if it is unknown.
  public var deviceName: String? { Self.names[deviceType] }

  private static let names: [UInt8: String] = [
    1: "Xbox One", 6: "iPhone", 7: "iPad", 8: "Android device", 9: "Windows desktop", 11: "Windows phone",
    12: "Linux device", 13: "Windows IoT", 14: "Surface Hub", 15: "Windows laptop", 16: "Windows tablet",
  ]

  /// The name of the format for programs.
  public var type: String { "microsoft-device" }
  /// The name of the format for people.
  public var label: String { "Microsoft" }
  /// The values, with their units in the keys.
  public var fields: DecodedFields {
    var fields = DecodedFields()
    fields.add("device", .text(deviceName ?? "type \(deviceType)"))
    return fields
  }
}
