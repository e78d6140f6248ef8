// SPDX-License-Identifier: MIT

/// A device of SwitchBot, in service data of FD3D and manufacturer data of company 0969: the BLE API of
/// `OpenWonderLabs/SwitchBotAPI-BLE`, and the sources of `PySwitchbot`.
///
/// The service data has the model, and for most of them the battery. The manufacturer data has the newer values. It does not
/// name the model, and is only decoded together with service data.
public struct SwitchBot: AdvertisedFormat, Hashable {
  /// The company identifier of the maker.
  public static let company: UInt16 = 0x0969

  /// The kind of device.
  public let model: Model
  /// The values, with their units in the keys.
  public let fields: DecodedFields

  /// A kind of device.
  public enum Model: String, Sendable, Hashable, CaseIterable {
    /// A finger that presses a switch.
    case bot
    /// A button with a remote.
    case remote
    /// A thermometer, of any series.
    case meter
    /// A thermometer that also measures carbon dioxide.
    case co2Meter = "co2-meter"
    /// A contact of a door or a window.
    case contact
    /// A motion sensor.
    case motion
    /// A motor for curtains.
    case curtain
    /// A motor for blinds.
    case blind
    /// A switched socket.
    case plug
    /// A hub with a thermometer.
    case hub
    /// A hub with a thermometer and a light sensor.
    case lightHub = "light-hub"
    /// A water leak detector.
    case leak

    /// The letter of the kind is the first byte; bit 7 says that the device encrypts, upper case that it is being paired.
    init?(_ byte: UInt8) {
      switch byte & 0x7f {
      case UInt8(ascii: "H"): self = .bot
      case UInt8(ascii: "b"), UInt8(ascii: "B"): self = .remote
      case UInt8(ascii: "T"), UInt8(ascii: "t"), UInt8(ascii: "i"), UInt8(ascii: "I"): self = .meter
      case UInt8(ascii: "w"), UInt8(ascii: "W"), UInt8(ascii: "4"), 0x14: self = .meter
      case UInt8(ascii: "5"), 0x15: self = .co2Meter
      case UInt8(ascii: "d"), UInt8(ascii: "D"): self = .contact
      case UInt8(ascii: "s"), UInt8(ascii: "S"): self = .motion
      case UInt8(ascii: "c"), UInt8(ascii: "C"), UInt8(ascii: "{"), UInt8(ascii: "["): self = .curtain
      case UInt8(ascii: "x"), UInt8(ascii: "X"): self = .blind
      case UInt8(ascii: "g"), UInt8(ascii: "G"), UInt8(ascii: "j"), UInt8(ascii: "J"): self = .plug
      case UInt8(ascii: "%"), 0x05: self = .hub
      case UInt8(ascii: "v"), UInt8(ascii: "V"): self = .lightHub
      case UInt8(ascii: "&"), 0x06: self = .leak
      default: return nil
      }
    }
  }

  /// The services whose data has the model; the second one is that of old firmware.
  static let services: [BluetoothUUID] = [BluetoothUUID(short: 0xfd3d), BluetoothUUID(short: 0x0d00)]

  /// Decodes the bytes after the UUID of the service; returns nil for unknown models.
  public init?(serviceData data: [UInt8]) {
    guard let first = data.first, let model = Model(first) else { return nil }
    self.model = model
    var fields = Self.fields(of: model)
    model.addService(data, to: &fields)
    fields.rejectImpossible()
    self.fields = fields
  }

  /// Decodes the bytes after the company identifier; returns nil if the context has no service data of a known model, or if
  /// there are too few bytes.
  public init?(data: [UInt8], in context: AdvertisedContext) {
    guard let first = context.serviceData(Self.services)?.first, let model = Model(first) else { return nil }
    self.model = model
    var fields = Self.fields(of: model)
    let count = fields.fields.count
    model.addManufacturer(data, to: &fields)
    guard fields.fields.count > count else { return nil }
    fields.rejectImpossible()
    self.fields = fields
  }

  private static func fields(of model: Model) -> DecodedFields {
    var fields = DecodedFields()
    fields.add("model", .text(model.rawValue))
    return fields
  }

  /// The name of the format for programs.
  public var type: String { "switchbot" }
  /// The name of the format for people.
  public var label: String { "SwitchBot" }
}
