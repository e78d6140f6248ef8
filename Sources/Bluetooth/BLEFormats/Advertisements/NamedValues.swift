// SPDX-License-Identifier: MIT
internal import JSON

/// Values to encode, by the names that decoding gives them.
package struct NamedValues: Sendable {
  private let pairs: [(name: String, text: String)]

  package init(_ pairs: [(name: String, text: String)]) { self.pairs = pairs }

  /// Refuses names that a format does not have, or has twice; the names of one value stand together.
  func check(_ known: [[String]]) throws(FormatError) {
    for (index, pair) in pairs.enumerated() {
      guard let names = known.first(where: { $0.contains(pair.name) }) else {
        let advice = Spelling.advice(for: pair.name, among: known.flatMap(\.self))
        throw FormatError(
          pair.name, "is not one of the values: \(advice ?? known.map { $0[0] }.joined(separator: ", "))")
      }
      if pairs[..<index].contains(where: { names.contains($0.name) }) {
        throw FormatError(pair.name, "has a value already")
      }
    }
  }

  /// The text of the value with one of several names; nil if there is none.
  func text(_ names: [String]) -> String? { pairs.first { names.contains($0.name) }?.text }

  /// The objects of BTHome, and whether it sends only on events.
  func objects() throws(FormatError) -> (objects: [BTHome.Object], isTriggered: Bool) {
    var objects: [BTHome.Object] = []
    var isTriggered = false
    for (name, text) in pairs {
      if name == BTHome.triggeredKey {
        isTriggered = try BTHomeKind.isTrue(text)
      } else {
        objects.append(try BTHome.Object(name, text))
      }
    }
    return (objects, isTriggered)
  }
}

/// A number at a fixed place of an advertisement.
struct NamedNumber {
  /// The name that decoding gives it, and shorter ones.
  let names: [String]
  let shape: NumberShape
  /// The raw number that stands for an unknown value.
  let absent: Int

  init(_ names: String..., shape: NumberShape, absent: Int) {
    (self.names, self.shape, self.absent) = (names, shape, absent)
  }

  func raw(in values: NamedValues) throws(FormatError) -> Int {
    guard let text = values.text(names) else { return absent }
    return try shape.raw(of: text)
  }

  func bytes(in values: NamedValues) throws(FormatError) -> [UInt8] {
    shape.width.encode(try raw(in: values))
  }
}

extension ByteWidth {
  /// A big-endian integer.
  fileprivate static func big(_ size: Int, isSigned: Bool = false) -> ByteWidth {
    ByteWidth(size: size, isSigned: isSigned, isBigEndian: true)
  }
}

/// The numbers of the formats that ``BeaconFormat`` encodes, in their order in the data.
extension NamedNumber {
  static let ruuvi: [NamedNumber] =
    [
      NamedNumber(
        "temperature_celsius", "temperature",
        shape: NumberShape(
          width: .big(2, isSigned: true), multiplier: 5, decimal: -3, allowed: -0x7fff...0x7fff),
        absent: -0x8000),
      NamedNumber(
        "humidity_percent", "humidity",
        shape: NumberShape(width: .big(2), multiplier: 25, decimal: -4, allowed: 0...0xfffe), absent: 0xffff),
      NamedNumber(
        "pressure_pa", "pressure",
        shape: NumberShape(width: .big(2), scale: LinearScale(offset: 50_000), allowed: 0...0xfffe),
        absent: 0xffff),
    ]
    + ["x", "y", "z"].map { axis in
      NamedNumber(
        "acceleration_\(axis)_mg", "acceleration_\(axis)",
        shape: NumberShape(width: .big(2, isSigned: true), allowed: -0x7fff...0x7fff), absent: -0x8000)
    }

  /// Eleven bits of a word of two bytes.
  static let ruuviBattery = NamedNumber(
    "battery_mv", "battery",
    shape: NumberShape(width: .big(2), scale: LinearScale(offset: 1600), allowed: 0...0x7fe), absent: 0x7ff)
  /// The other five bits.
  static let ruuviPower = NamedNumber(
    "tx_power_dbm", "tx_power",
    shape: NumberShape(width: .big(2), scale: LinearScale(multiplier: 2, offset: -40), allowed: 0...0x1e),
    absent: 0x1f)
  static let ruuviCounters = [
    NamedNumber("movements", shape: NumberShape(width: .u8, allowed: 0...0xfe), absent: 0xff),
    NamedNumber("sequence", shape: NumberShape(width: .big(2), allowed: 0...0xfffe), absent: 0xffff),
  ]

  static let eddystoneTelemetry = [
    NamedNumber(
      "battery_mv", "battery", shape: NumberShape(width: .big(2), allowed: 1...0xffff), absent: 0),
    NamedNumber(
      "temperature_celsius", "temperature",
      shape: NumberShape(width: .big(2, isSigned: true), binary: -8, allowed: -0x7fff...0x7fff),
      absent: -0x8000),
    NamedNumber("advertisements", shape: NumberShape(width: .big(4)), absent: 0),
    NamedNumber("uptime_s", "uptime", shape: NumberShape(width: .big(4), decimal: -1), absent: 0),
  ]

  static let iBeacon = [
    NamedNumber("major", shape: NumberShape(width: .big(2)), absent: 0),
    NamedNumber("minor", shape: NumberShape(width: .big(2)), absent: 0),
    NamedNumber("rssi_at_1m_dbm", "rssi_at_1m", shape: NumberShape(width: .i8), absent: -59),
  ]

  static let pvvx = [
    NamedNumber(
      "temperature_celsius", "temperature", shape: NumberShape(width: .i16, decimal: -2), absent: 0),
    NamedNumber("humidity_percent", "humidity", shape: NumberShape(width: .u16, decimal: -2), absent: 0),
    NamedNumber("battery_mv", shape: NumberShape(width: .u16), absent: 0),
    NamedNumber("battery_percent", "battery", shape: NumberShape(width: .u8), absent: 0),
    NamedNumber("counter", shape: NumberShape(width: .u8), absent: 0),
    NamedNumber("flags", shape: NumberShape(width: .u8), absent: 0),
  ]
}
