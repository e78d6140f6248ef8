// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import JSON

/// Recorded advertisements to replay, from a log of `blectl scan --duplicates` or `monitor --scan` (NDJSON).
package struct AdvertisedRecording: Sendable, Equatable {
  /// The log, relative to the world file.
  package var path: String
  /// The device in the log; nil for the address of the one that replays it.
  package var address: String?
  /// The time that each value is advertised; nil for the times in the log.
  package var interval: Duration?
  /// True if the log restarts after its end, an interval (or a second) later.
  package var repeats = false
  package var samples: [Recording.Sample] = []

  /// Returns how long a value is advertised; nil if it is the last one.
  func duration(of index: Int) -> Duration? {
    guard !samples.isEmpty, repeats || index + 1 < samples.count else { return nil }
    if let interval { return interval }
    let position = index % samples.count
    guard position + 1 < samples.count else { return .seconds(1) }
    return max(.zero, samples[position + 1].time - samples[position].time)
  }

  /// Returns what a device advertised according to a log, without repetitions; throws if a line is not a record.
  static func samples(
    in log: [UInt8], of sender: AdvertisedData.Sender, from address: String
  ) throws(JSONError) -> [Recording.Sample] {
    var samples: [Recording.Sample] = []
    try LogRecord.each(in: log) { record throws(JSONError) in
      guard record.node["address"]?.string.flatMap({ BluetoothAddress($0) })?.description == address,
        let text = sender.text(in: record.node)
      else { return }
      guard let time = record.time, let value = Hex.bytes(text), value.count <= 254 else {
        throw record.mismatch("\"time\" and data in hexadecimal digits")
      }
      if value != samples.last?.value { samples.append(Recording.Sample(time: time, value: value)) }
    }
    return samples.sinceFirst
  }
}

extension AdvertisedData.Sender {
  /// The digits of its data in a record of a device.
  fileprivate func text(in record: JSONNode) -> String? {
    switch self {
    case .company(let company): record["manufacturer_data"]?[company.fourDigits]?.string
    case .service(let service):
      record["service_data"]?.members?.first { BluetoothUUID($0.key) == service }?.value.string
    }
  }
}
