// SPDX-License-Identifier: MIT

/// Manufacturer data or service data with a layout of your own.
public struct ProfileAdvertisement: Sendable {
  /// The owner of the data.
  public typealias Sender = AdvertisedData.Sender

  /// The owner of the data.
  public var sender: Sender
  /// The bytes with which the data begins, after the company or the UUID; other data is not meant.
  public var prefix: [UInt8]
  /// The name of the format, for people.
  public var name: String
  /// The name of the format for programs, as `type` in JSON.
  public var type: String
  /// The layout of the bytes after ``prefix``.
  public var layout: ValueLayout
  /// The devices on which it has this meaning: an address, a name, or a shell pattern of names such as `Sensor-*`;
  /// nil for all.
  public var device: String? { didSet { pattern = device.map { DevicePattern($0) } } }

  private var pattern: DevicePattern?

  /// Creates a format; each parameter sets the property of its name.
  ///
  /// A `type` that is nil is made from the name: `Our Sensor` becomes `our-sensor`.
  public init(
    sender: Sender, prefix: [UInt8] = [], device: String? = nil, name: String, type: String? = nil,
    layout: ValueLayout
  ) {
    (self.sender, self.prefix, self.name, self.layout, self.device) = (sender, prefix, name, layout, device)
    self.type = type ?? AssignedNumbers.hyphenated(name)
    pattern = device.map { DevicePattern($0) }
  }

  /// Decodes data; returns nil if it is other data.
  ///
  /// Data that only begins as it should is decoded as far as possible, with its problems in ``DecodedFields/problems``.
  public func decode(_ data: AdvertisedData, of device: ProfileSubject? = nil) -> ProfileFormat? {
    let bytes: [UInt8]
    switch (sender, data) {
    case (.company(let wanted), .manufacturer(let company, let data)) where wanted == company: bytes = data
    case (.service(let wanted), .service(let service, let data)) where wanted == service: bytes = data
    default: return nil
    }
    guard bytes.starts(with: prefix), pattern?.matches(device) ?? true else { return nil }
    return ProfileFormat(type: type, label: name, fields: layout.decode(Array(bytes.dropFirst(prefix.count))))
  }

  /// The degree to which its meaning is restricted.
  var specificity: Int { (device == nil ? 0 : 256) + prefix.count }
}

/// Advertised data that was decoded by the layout of a profile.
public struct ProfileFormat: AdvertisedFormat, Hashable {
  /// The name of the format for programs.
  public let type: String
  /// The name of the format for people.
  public let label: String
  /// The values, with their units in the keys.
  public let fields: DecodedFields

  /// Creates decoded data; each parameter sets the property of its name.
  public init(type: String, label: String, fields: DecodedFields) {
    (self.type, self.label, self.fields) = (type, label, fields)
  }
}
