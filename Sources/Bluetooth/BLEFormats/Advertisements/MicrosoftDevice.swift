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
  public var deviceName: String? {
    switch deviceType {
    case 1: "Xbox One"
    case 6: "iPhone"
    case 7: "iPad"
    case 8: "Android device"
    case 9: "Windows desktop"
    case 11: "Windows phone"
    case 12: "Linux device"
    case 13: "Windows IoT"
    case 14: "Surface Hub"
    case 15: "Windows laptop"
    case 16: "Windows tablet"
    default: nil
    }
  }

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
