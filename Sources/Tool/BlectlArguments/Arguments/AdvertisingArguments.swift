// SPDX-License-Identifier: MIT
package import BLEFormats

// The data of `advertise`, as written on the command line.

extension AdvertisedData {
  /// Manufacturer data: `ID:HEX`.
  package init(parsingManufacturer text: String) throws(ArgumentError) {
    let (company, bytes) = try Self.split(text, "ID:HEX, such as 004c:0215")
    self = .manufacturer(try UInt16(parsingCompany: company), bytes)
  }

  /// Service data: `UUID:HEX`.
  package init(parsingService text: String) throws(ArgumentError) {
    let (service, bytes) = try Self.split(text, "UUID:HEX, such as 181a:0102")
    self = .service(try BluetoothUUID(parsingService: service), bytes)
  }

  private static func split(_ text: String, _ form: String) throws(ArgumentError) -> (Substring, [UInt8]) {
    guard let colon = text.firstIndex(of: ":"), colon > text.startIndex else {
      throw ArgumentError(text, "is not \(form)")
    }
    return (
      text[..<colon],
      try argument { () throws(FormatError) in
        try HexValue.bytes(text[text.index(after: colon)...])
      }
    )
  }
}

extension IBeacon {
  /// `UUID,MAJOR,MINOR[,POWER]`.
  package init(parsing text: String) throws(ArgumentError) {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count == 3 || parts.count == 4 else {
      throw ArgumentError(text, "is not UUID,MAJOR,MINOR or UUID,MAJOR,MINOR,POWER")
    }
    guard let uuid = BluetoothUUID(parts[0]) else { throw ArgumentError(parts[0], "is not a UUID") }
    self.init(
      uuid: uuid, major: try number(parts[1], in: 0...UInt16.max, "a major number"),
      minor: try number(parts[2], in: 0...UInt16.max, "a minor number"),
      measuredPower: try parts.count == 4 ? strength(parts[3]) : strengthAtOneMetre)
  }
}

extension AltBeacon {
  /// The default company: Radius Networks, who published the format.
  private static let usualCompany: UInt16 = 0x0118

  /// `[COMPANY:]ID[,POWER]`, or `[COMPANY:]UUID,MAJOR,MINOR[,POWER]`.
  package init(parsing text: String) throws(ArgumentError) {
    let halves = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let company = try halves.count == 2 ? UInt16(parsingCompany: halves[0]) : Self.usualCompany
    let parts = halves[halves.count - 1].split(separator: ",", omittingEmptySubsequences: false)
    let hasPower = parts.count == 2 || parts.count == 4
    let identifier: [UInt8]
    switch parts.count {
    case 1, 2:
      identifier = try argument { () throws(FormatError) in
        try HexValue.bytes(parts[0].replacing("-", with: ""))
      }
    case 3, 4:
      identifier = Array(try IBeacon(parsing: parts.prefix(3).joined(separator: ",")).data[2..<22])
    default:
      throw ArgumentError(text, "is not ID, ID,POWER, UUID,MAJOR,MINOR or UUID,MAJOR,MINOR,POWER")
    }
    let power = try hasPower ? strength(parts[parts.count - 1]) : strengthAtOneMetre
    self = try argument { () throws(FormatError) in
      try AltBeacon(company: company, identifier: identifier, referenceRSSI: power)
    }
  }
}

extension Eddystone {
  /// The default power at 0 m, in dBm: -59 at one metre.
  private static let usualPower: Int8 = -18

  package init(parsingURL text: String) throws(ArgumentError) {
    self = .url(text, txPower: Self.usualPower)
    try check()
  }

  /// `NAMESPACE,INSTANCE[,POWER]`.
  package init(parsingUID text: String) throws(ArgumentError) {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count == 2 || parts.count == 3 else {
      throw ArgumentError(text, "is not NAMESPACE,INSTANCE or NAMESPACE,INSTANCE,POWER")
    }
    self = try argument { () throws(FormatError) in
      .uid(
        namespace: try HexValue.bytes(parts[0]), instance: try HexValue.bytes(parts[1]),
        txPower: Self.usualPower)
    }
    if parts.count == 3, case .uid(let namespace, let instance, _) = self {
      self = .uid(namespace: namespace, instance: instance, txPower: try strength(parts[2]))
    }
    try check()
  }

  private func check() throws(ArgumentError) {
    _ = try argument { () throws(FormatError) in try encoded() }
  }
}

extension BTHome {
  /// `KEY=VALUE,…`.
  package init(parsingArgument text: String) throws(ArgumentError) {
    self = try argument { () throws(FormatError) in try BTHome(parsing: text) }
  }
}

/// The default strength at one metre, in dBm.
private let strengthAtOneMetre: Int8 = -59

private func strength(_ text: Substring) throws(ArgumentError) -> Int8 {
  try number(text, in: -127...20, "a strength in dBm")
}

/// A number in decimal digits, or hexadecimal ones after `0x`.
private func number<Number: FixedWidthInteger>(
  _ text: Substring, in range: ClosedRange<Number>, _ what: String
) throws(ArgumentError) -> Number {
  let isHex = text.lowercased().hasPrefix("0x")
  guard let number = Number(isHex ? text.dropFirst(2) : text, radix: isHex ? 16 : 10), range.contains(number)
  else {
    throw ArgumentError(text, "is not \(what); use \(range.lowerBound) to \(range.upperBound)")
  }
  return number
}

/// Turns format errors of `body` into argument errors.
private func argument<Result>(_ body: () throws(FormatError) -> Result) throws(ArgumentError) -> Result {
  do throws(FormatError) {
    return try body()
  } catch {
    throw ArgumentError(error)
  }
}
