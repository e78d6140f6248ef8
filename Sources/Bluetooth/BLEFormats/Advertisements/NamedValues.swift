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

  /// Creates a number `raw * times * 10^ten * 2^two + plus * 10^ten`; `unit` is the end of its longer name.
  ///
  /// The raw number `none` is not a value, but stands for an unknown one; without it, `otherwise` does.
  init(
    _ name: String, unit: String = "", _ width: ByteWidth, times: Int = 1, ten: Int = 0, two: Int = 0,
    plus: Int = 0, none: Int? = nil, otherwise: Int = 0
  ) {
    names = unit.isEmpty ? [name] : ["\(name)_\(unit)", name]
    absent = none ?? otherwise
    let range = width.range
    shape = NumberShape(
      width: width,
      scale: LinearScale(multiplier: times, decimal: ten, divisor: 1 << -two, offset: plus),
      allowed: none.map { $0 == range.lowerBound ? $0 + 1...range.upperBound : range.lowerBound...$0 - 1 })
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
      NamedNumber("temperature", unit: "celsius", .big(2, isSigned: true), times: 5, ten: -3, none: -0x8000),
      NamedNumber("humidity", unit: "percent", .big(2), times: 25, ten: -4, none: 0xffff),
      NamedNumber("pressure", unit: "pa", .big(2), plus: 50_000, none: 0xffff),
    ]
    + ["x", "y", "z"].map {
      NamedNumber("acceleration_\($0)", unit: "mg", .big(2, isSigned: true), none: -0x8000)
    }

  /// Eleven bits of a word of two bytes.
  static let ruuviBattery = NamedNumber("battery", unit: "mv", .big(2), plus: 1600, none: 0x7ff)
  /// The other five bits.
  static let ruuviPower = NamedNumber("tx_power", unit: "dbm", .big(2), times: 2, plus: -40, none: 0x1f)
  static let ruuviCounters = [
    NamedNumber("movements", .u8, none: 0xff), NamedNumber("sequence", .big(2), none: 0xffff),
  ]

  static let eddystoneTelemetry = [
    NamedNumber("battery", unit: "mv", .big(2), none: 0),
    NamedNumber("temperature", unit: "celsius", .big(2, isSigned: true), two: -8, none: -0x8000),
    NamedNumber("advertisements", .big(4)), NamedNumber("uptime", unit: "s", .big(4), ten: -1),
  ]

  static let iBeacon = [
    NamedNumber("major", .big(2)), NamedNumber("minor", .big(2)),
    NamedNumber("rssi_at_1m", unit: "dbm", .i8, otherwise: -59),
  ]

  static let pvvx = [
    NamedNumber("temperature", unit: "celsius", .i16, ten: -2),
    NamedNumber("humidity", unit: "percent", .u16, ten: -2),
    NamedNumber("battery_mv", .u16), NamedNumber("battery", unit: "percent", .u8),
    NamedNumber("counter", .u8),
    NamedNumber("flags", .u8),
  ]
}
