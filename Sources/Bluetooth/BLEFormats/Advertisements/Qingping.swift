// SPDX-License-Identifier: MIT

/// A sensor of Qingping (ClearGrass), in service data of FDCD: the sources of `qingping-ble`, and of `pvvx/TLB2Z`.
public struct Qingping: AdvertisedFormat, Hashable {
  /// The service of the data.
  public static let service = BluetoothUUID(short: 0xfdcd)

  /// The number of the model.
  public let device: UInt8
  /// The address of the sensor.
  public let address: BluetoothAddress
  /// The values, with their units in the keys.
  public let fields: DecodedFields

  /// Decodes the bytes after the UUID: control bits, the model, the address, and values; returns nil for others.
  public init?(data: [UInt8]) {
    var reader = ByteReader(data)
    guard let control = reader.unsigned(1), let device = reader.unsigned(1),
      let digits = reader.bytes(6), let address = BluetoothAddress(bytes: digits.reversed())
    else { return nil }
    (self.device, self.address) = (UInt8(device), address)
    guard let model = Self.models[self.device] else { return nil }
    var fields = DecodedFields()
    fields.add("model", .text(model))
    var unknown: [UInt8] = []
    while let kind = reader.rest.first {
      var ahead = reader
      guard ahead.bytes(1) != nil, let length = ahead.unsigned(1), let value = ahead.bytes(length) else {
        break
      }
      reader = ahead
      // Of several values of one kind, the first counts.
      var one = DecodedFields()
      if !Self.add(kind, value, isEvent: control & 0x40 != 0, to: &one) {
        unknown += [kind, UInt8(length)] + value
      }
      for field in one.fields where fields[field.key] == nil { fields.fields.append(field) }
    }
    fields.add("mac", .text(address.description))
    fields.rest = unknown + reader.rest
    if !reader.rest.isEmpty { fields.problems.append("the last value is cut off") }
    fields.rejectImpossible()
    self.fields = fields
  }

  private static let models: [UInt8: String] = [
    0x01: "CGG1", 0x04: "CGH1", 0x07: "CGG1", 0x09: "CGP1W", 0x0c: "CGD1", 0x0e: "CGDN1", 0x0f: "CGM1",
    0x10: "CGDK2", 0x12: "CGPR1", 0x15: "CGF1W", 0x16: "CGG1", 0x18: "CGP23W", 0x1e: "CGC1", 0x24: "CGDN1",
    0x26: "CGP23W", 0x33: "CGP22C", 0x4f: "CGG3", 0x52: "CGR1PC", 0x5d: "CGP22C", 0x62: "CGR1PC",
  ]

  /// Adds a value, or returns false if its kind is not known or its length is unusual.
  private static func add(
    _ kind: UInt8, _ value: [UInt8], isEvent: Bool, to fields: inout DecodedFields
  ) -> Bool {
    var reader = ByteReader(value)
    switch (kind, value.count) {
    case (0x01, 4):
      fields.addClimate(
        temperature: reader.signed(2).map(DecimalNumber.init(tenths:)),
        humidity: reader.unsigned(2).map(DecimalNumber.init(tenths:)))
    case (0x02, 1):
      if value[0] == 0xff {
        fields.addKnown("external_power", true)
      } else {
        fields.addClimate(temperature: nil, humidity: nil, battery: Int(value[0]))
      }
    case (0x04, 1):
      fields.addKnown("open", value[0] == 0 || value[0] == 2)
      fields.addKnown("left_open", value[0] == 2)
    case (0x07, 2):
      fields.addKnown("pressure_hpa", reader.unsigned(2).map(DecimalNumber.init(tenths:)), unit: "hPa")
    case (0x08, 4):
      fields.addKnown("motion", value[0] != 0)
      _ = reader.bytes(1)
      // An event has something else in the place of the illuminance.
      if !isEvent { fields.addKnown("illuminance_lux", reader.unsigned(3), unit: "lx") }
    case (0x09, 4): fields.addKnown("illuminance_lux", reader.unsigned(4), unit: "lx")
    case (0x0f, 1): fields.addKnown("packet_id", Int(value[0]), label: "packet")
    case (0x11, 1): fields.addKnown("light", value[0] != 0)
    case (0x12, 4):
      fields.addAir(
        particles: ["2.5", "10"].map {
          ($0, reader.unsigned(2).map { DecimalNumber(mantissa: $0, exponent: 0) })
        },
        co2: nil)
    case (0x13, 2): fields.addAir(particles: [], co2: reader.unsigned(2))
    case (0x15, 2): fields.addKnown("voc_index", reader.unsigned(2), label: "VOC index")
    case (0x19, 1): fields.addKnown("noise_db", Int(value[0]), label: "noise", unit: "dB")
    default: return false
    }
    return true
  }

  /// The name of the format for programs.
  public var type: String { "qingping" }
  /// The name of the format for people.
  public var label: String { "Qingping" }
}
