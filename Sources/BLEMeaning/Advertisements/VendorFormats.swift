// SPDX-License-Identifier: MIT

/// A phone with contact tracing, in service data of FD6F: "Exposure Notification Bluetooth Specification" v1.2,
/// Apple and Google.
public struct ExposureNotification: AdvertisedFormat, Hashable {
  /// The rolling identifier: sixteen bytes that change about every fifteen minutes.
  public let rollingProximityIdentifier: [UInt8]
  /// Version and power, encrypted: four bytes.
  public let encryptedMetadata: [UInt8]

  /// Decodes a phone's data, or returns nil.
  ///
  /// - Parameter data: the bytes after the UUID: exactly 20.
  public init?(data: [UInt8]) {
    guard data.count == 20 else { return nil }
    rollingProximityIdentifier = Array(data[..<16])
    encryptedMetadata = Array(data[16...])
  }

  /// The name of the format for programs.
  public var type: String { "exposure-notification" }
  /// The name of the format for people.
  public var label: String { "Exposure Notification" }
  /// The values, with their units in the keys.
  public var fields: DecodedFields {
    var fields = DecodedFields()
    fields.add("rolling_proximity_id", .bytes(rollingProximityIdentifier))
    fields.add("encrypted_metadata", .bytes(encryptedMetadata))
    return fields
  }
}

/// A device with Google Fast Pair, in service data of FE2C: "Fast Pair Service", Google.
public enum FastPair: AdvertisedFormat, Hashable {
  /// It is in pairing mode; its model identifier of 24 bits.
  case discoverable(model: Int)
  /// It is visible to known accounts: a filter of their keys, and more.
  case known([UInt8])

  /// Decodes a device, or returns nil if there is no data.
  ///
  /// - Parameter data: the bytes after the UUID; three bytes are a model.
  public init?(data: [UInt8]) {
    var reader = ByteReader(data)
    if data.count == 3, let model = reader.unsigned(3, isBigEndian: true) {
      self = .discoverable(model: model)
    } else if data.isEmpty {
      return nil
    } else {
      self = .known(data)
    }
  }

  /// The name of the format for programs.
  public var type: String { "fast-pair" }
  /// The name of the format for people.
  public var label: String { "Fast Pair" }
  /// The values, with their units in the keys.
  public var fields: DecodedFields {
    var fields = DecodedFields()
    switch self {
    case .discoverable(let model):
      let bytes = [16, 8, 0].map { UInt8(truncatingIfNeeded: model >> $0) }
      fields.add("model_id", .bytes(bytes), label: "model")
    case .known(let bytes): fields.add("account_data", .bytes(bytes), label: "account data")
    }
    return fields
  }
}

/// A peripheral that asks Windows to offer pairing, in manufacturer data of company 0006: "Bluetooth Swift Pair",
/// Microsoft.
public struct SwiftPair: AdvertisedFormat, Hashable {
  /// Microsoft's company identifier.
  public static let company: UInt16 = 0x0006

  /// The pairing scenario; 0 is LE only.
  public let scenario: UInt8
  /// The display name; nil if it sends none, or if the scenario is not LE only.
  public let displayName: String?

  /// Decodes the beacon, or returns nil.
  ///
  /// - Parameter data: the bytes after the company identifier: `03`, a scenario, a reserved byte, and more.
  public init?(data: [UInt8]) {
    guard data.count >= 3, data[0] == 0x03 else { return nil }
    scenario = data[1]
    let name = data.dropFirst(3).prefix { $0 != 0 }
    displayName = scenario == 0 && !name.isEmpty ? String(decoding: name, as: UTF8.self) : nil
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
    return fields
  }
}

/// A device that supports sharing, in manufacturer data of company 0006: "Connected Devices Platform Protocol"
/// [MS-CDP] 2.2.2.2.3.
public struct MicrosoftDevice: AdvertisedFormat, Hashable {
  /// The kind of device.
  public let deviceType: UInt8

  /// Decodes a device, or returns nil.
  ///
  /// - Parameter data: the bytes after the company identifier: `01`, the device type, and more.
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

/// A frame of a Xiaomi device, in service data of FE95: only its header, because the contents are mostly encrypted.
///
/// Source: "MiBeacon protocol" v5, Xiaomi.
public struct MiBeacon: AdvertisedFormat, Hashable {
  /// Whether the contents are encrypted.
  public let isEncrypted: Bool
  /// The version of the format.
  public let version: Int
  /// The product.
  public let product: UInt16
  /// The frame counter.
  public let counter: UInt8

  /// Decodes the header of a frame, or returns nil.
  ///
  /// - Parameter data: the bytes after the UUID: two of control bits, two of the product, a counter, and more.
  public init?(data: [UInt8]) {
    var reader = ByteReader(data)
    guard let control = reader.unsigned(2), let product = reader.unsigned(2), let counter = reader.unsigned(1)
    else { return nil }
    isEncrypted = control & 0x0008 != 0
    version = control >> 12
    (self.product, self.counter) = (UInt16(product), UInt8(counter))
  }

  /// The name of the format for programs.
  public var type: String { "mibeacon" }
  /// The name of the format for people.
  public var label: String { "MiBeacon" }
  /// The values, with their units in the keys.
  public var fields: DecodedFields {
    var fields = DecodedFields()
    let digits = [UInt8(product >> 8), UInt8(truncatingIfNeeded: product)]
    fields.add("product_id", .bytes(digits), label: "product")
    fields.add("version", .integer(version), label: "version")
    fields.add("counter", .integer(Int(counter)), label: "counter")
    fields.add("encrypted", .bool(isEncrypted), label: "encrypted")
    return fields
  }
}
