// SPDX-License-Identifier: MIT

/// Data of a known format that has too few bytes, or bytes behind its last field.
///
/// Most formats report further bytes themselves. This one is for the others, and for data that ends too early.
public struct InexactFormat: AdvertisedFormat {
  /// The decoded values; nil if the data ends too early.
  public let format: (any AdvertisedFormat)?
  /// The name of the format for programs.
  public let type: String
  /// The name of the format for people.
  public let label: String
  /// The number of bytes that are missing.
  public let missing: Int
  /// The bytes that are not decoded.
  public let rest: [UInt8]

  /// Creates decoded values with the bytes behind them.
  init(_ format: some AdvertisedFormat, rest: [UInt8]) {
    (self.format, type, label, missing, self.rest) = (format, format.type, format.label, 0, rest)
  }

  /// Recognizes data that begins as a format does and ends too early; returns nil for other data.
  init?(_ data: AdvertisedData) {
    let bytes = data.bytes
    guard
      let start = Self.starts.first(where: { start in
        (start.sender == nil || start.sender == data.sender) && bytes.starts(with: start.mark)
          && bytes.count < start.size
      })
    else { return nil }
    (format, type, label) = (nil, start.type, start.label)
    (missing, rest) = (start.size - bytes.count, bytes)
  }

  /// The signal strength at one metre in dBm, as reported by the device; nil if it does not report it.
  public var rssiAtOneMetre: Int? { format?.rssiAtOneMetre }

  /// The values, with their units in the keys.
  public var fields: DecodedFields {
    var fields = format?.fields ?? DecodedFields()
    fields.rest += rest
    if missing > 0 { fields.problems.append("\(missing) byte\(missing == 1 ? "" : "s") missing") }
    return fields
  }

  /// The beginning of a format, and the number of bytes that it needs.
  private struct Start {
    /// The company or the service; nil for any company.
    let sender: AdvertisedData.Sender?
    let mark: [UInt8]
    let size: Int
    let type: String
    let label: String
  }

  private static let starts: [Start] =
    [
      Start(
        sender: .company(IBeacon.company), mark: [0x02, 0x15], size: 23, type: "ibeacon", label: "iBeacon"),
      Start(sender: nil, mark: [0xbe, 0xac], size: 24, type: "altbeacon", label: "AltBeacon"),
      Start(sender: .service(MiBeacon.service), mark: [], size: 5, type: "mibeacon", label: "MiBeacon"),
      Start(
        sender: .service(ExposureNotification.service), mark: [], size: 20, type: "exposure-notification",
        label: "Exposure Notification"),
      Start(
        sender: .service(BluetoothUUID(short: 0x1852)), mark: [], size: 3, type: "audio-broadcast",
        label: "Audio broadcast"),
    ]
    + [
      ([0x05], 24, "ruuvi", "Ruuvi"), ([0x03], 14, "ruuvi", "Ruuvi"),
      ([0x06], 20, "ruuvi-air", "Ruuvi Air"), ([0xe1], 40, "ruuvi-air", "Ruuvi Air"),
    ].map { Start(sender: .company(RuuviTag.company), mark: $0.0, size: $0.1, type: $0.2, label: $0.3) }
    + [
      ([0x00], 18, "eddystone-uid", "Eddystone-UID"), ([0x10], 3, "eddystone-url", "Eddystone-URL"),
      ([0x20, 0x00], 14, "eddystone-tlm", "Eddystone-TLM"),
      ([0x20, 0x01], 18, "eddystone-etlm", "Eddystone-TLM (encrypted)"),
      ([0x30], 10, "eddystone-eid", "Eddystone-EID"),
    ].map { Start(sender: .service(Eddystone.service), mark: $0.0, size: $0.1, type: $0.2, label: $0.3) }
}
