// SPDX-License-Identifier: MIT

extension SwitchBot.Model {
  /// Adds the values of service data, of which the first byte is the model.
  func addService(_ data: [UInt8], to fields: inout DecodedFields) {
    guard data.count >= 3 else { return }
    let battery = Int(data[2] & 0x7f)
    func bit(_ index: Int, _ mask: UInt8) -> Bool { data[index] & mask != 0 }
    switch self {
    case .bot:
      fields.addKnown("switch_mode", bit(1, 0x80))
      if bit(1, 0x80) { fields.addKnown("on", !bit(1, 0x40)) }
    case .meter where data.count >= 6, .co2Meter where data.count >= 6: addClimate(data[3...5], to: &fields)
    case .contact where data.count >= 9:
      fields.addKnown("motion", bit(1, 0x40))
      fields.addKnown("open", bit(3, 0x06))
      fields.addKnown("left_open", bit(3, 0x04))
      fields.addKnown("light", bit(3, 0x01))
      fields.addKnown("presses", Int(data[8] & 0x0f), label: "presses")
    case .motion where data.count >= 6:
      fields.addKnown("motion", bit(1, 0x40))
      fields.addKnown("light", bit(5, 0x02))
    case .curtain:
      fields.addKnown("calibrated", bit(1, 0x40))
      if data.count >= 6 { addCurtain(data[3], data[4], to: &fields) }
    default: break
    }
    switch self {
    // These have it in the manufacturer data, or none.
    case .plug, .hub, .lightHub, .leak: break
    default: fields.addKnown("battery_percent", battery, label: "battery", unit: "%")
    }
  }

  /// Adds the values of manufacturer data, of which the first six bytes are the address.
  func addManufacturer(_ data: [UInt8], to fields: inout DecodedFields) {
    func bit(_ index: Int, _ mask: UInt8) -> Bool { data[index] & mask != 0 }
    switch self {
    case .meter where data.count >= 11: addClimate(data[8...10], to: &fields)
    case .co2Meter where data.count >= 11:
      addClimate(data[8...10], to: &fields)
      if data.count >= 15 { fields.addAir(particles: [], co2: Int(data[13]) << 8 | Int(data[14])) }
    case .hub where data.count >= 16: addClimate(data[13...15], to: &fields)
    case .lightHub where data.count >= 16:
      addClimate(data[13...15], to: &fields)
      fields.addKnown("light_level", Int(data[12] & 0x1f), label: "light level")
    case .contact where data.count >= 13:
      fields.addKnown("motion", bit(7, 0x80))
      fields.addKnown("open", bit(7, 0x30))
      fields.addKnown("left_open", bit(7, 0x20))
      fields.addKnown("light", bit(7, 0x40))
      fields.addKnown("presses", Int(data[12] & 0x0f), label: "presses")
    case .motion where data.count >= 8:
      fields.addKnown("motion", bit(7, 0x40))
      fields.addKnown("light", bit(7, 0x20))
    case .curtain where data.count >= 11:
      addCurtain(data[8], data[9], to: &fields)
      if data.count >= 13 {
        fields.addKnown("battery_percent", Int(data[12] & 0x7f), label: "battery", unit: "%")
      }
    case .blind where data.count >= 10:
      fields.addKnown("tilt_percent", min(Int(data[8] & 0x7f), 100), label: "tilt", unit: "%")
      fields.addKnown("moving", bit(8, 0x80))
      fields.addKnown("light_level", Int(data[9] >> 4), label: "light level")
      fields.addKnown("calibrated", bit(7, 0x01))
    case .plug where data.count >= 12:
      fields.addKnown("on", data[7] == 0x80)
      fields.addKnown("power_w", DecimalNumber(tenths: Int(data[10] & 0x7f) << 8 | Int(data[11])), unit: "W")
      fields.addKnown("wifi_rssi_dbm", -Int(data[9]), label: "Wi-Fi", unit: "dBm")
    case .leak where data.count >= 9:
      fields.addKnown("leak", bit(8, 0x01))
      fields.addKnown("tampered", bit(8, 0x02))
      fields.addKnown("battery_percent", Int(data[7] & 0x7f), label: "battery", unit: "%")
      fields.addKnown("battery_low", bit(7, 0x80))
    default: break
    }
  }

  /// Adds tenths of a degree, a sign with whole degrees, and the humidity; nothing if the device has not measured yet.
  private func addClimate(_ bytes: ArraySlice<UInt8>, to fields: inout DecodedFields) {
    let bytes = Array(bytes)
    let tenths = Int(bytes[1] & 0x7f) * 10 + Int(bytes[0] & 0x0f)
    let humidity = Int(bytes[2] & 0x7f)
    guard tenths != 0 || humidity != 0 else { return }
    fields.addClimate(
      temperature: DecimalNumber(tenths: bytes[1] & 0x80 != 0 ? tenths : -tenths),
      humidity: DecimalNumber(mantissa: humidity, exponent: 0))
  }

  /// Adds how far a curtain is closed, and its further states.
  private func addCurtain(_ position: UInt8, _ light: UInt8, to fields: inout DecodedFields) {
    fields.addKnown("closed_percent", min(Int(position & 0x7f), 100), label: "closed", unit: "%")
    fields.addKnown("moving", position & 0x80 != 0)
    fields.addKnown("light_level", Int(light >> 4), label: "light level")
  }
}
