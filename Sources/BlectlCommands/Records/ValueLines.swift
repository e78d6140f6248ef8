// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEMeaning
internal import JSON

/// Writes batches of values as lines of JSON: what is the same for all values of a batch is written once, and copied.
struct ValueLines {
  /// What stands between the parts that change: the time, the value, and what it means.
  private struct Frame {
    let begin: ArraySlice<UInt8>
    let middle: ArraySlice<UInt8>
    let end: ArraySlice<UInt8>
  }

  /// A line up to the value: values that were read together have the same.
  private var head: [UInt8] = []
  private var decoded = JSONWriter()
  /// How values are to be shown, where that was asked for.
  private let format: ValueFormat?

  init(format: ValueFormat? = nil) { self.format = format }

  /// Appends a line for each value, the same bytes as ``ValueRecord`` writes.
  mutating func append(_ batch: ValueBatch, to bytes: inout [UInt8]) {
    guard let first = batch.notifications.first else { return }
    let frame = ValueLines.frame(of: batch, at: first.time)
    var headTime: Timestamp?
    for notification in batch.notifications {
      if notification.time != headTime {
        setHead(frame, at: notification.time)
        headTime = notification.time
      }
      bytes += head
      Hex.append(notification.value, to: &bytes)
      bytes.append(UInt8(ascii: "\""))
      if let meaning = batch.meaning?.decode(notification.value) {
        decoded.removeAll()
        decoded.value(meaning)
        bytes += ValueLines.decodedKey
        bytes += decoded.bytes
      }
      if let format, let text = batch.record(notification).formatted(as: format) {
        decoded.removeAll()
        decoded.text(text)
        bytes += ValueLines.formattedKey
        bytes += decoded.bytes
      }
      bytes += frame.end
    }
  }

  private mutating func setHead(_ frame: Frame, at time: Timestamp) {
    head.removeAll(keepingCapacity: true)
    head += frame.begin
    time.appendUTC(to: &head)
    head += frame.middle
  }

  private static let timeKey = Array("\"time\":\"".utf8)
  private static let timeLength = 27
  private static let decodedKey = Array(",\"decoded\":".utf8)
  private static let formattedKey = Array(",\"formatted\":".utf8)

  /// Cuts the record of an empty value apart.
  private static func frame(of batch: ValueBatch, at time: Timestamp) -> Frame {
    var json = JSONWriter()
    let record = ValueRecord(
      time: time, address: batch.address, name: batch.name, characteristic: batch.characteristic, value: [],
      meaning: nil, way: batch.way)
    json.object { record.write(to: &$0) }
    json.endRecord()
    let line = json.bytes
    // Up to the time there are two constant fields; behind the value comes the way alone.
    let begin = "{\"event\":\"value\",".utf8.count + timeKey.count
    let end = line.count - ",\"via\":\"\(batch.way.rawValue)\"}\n".utf8.count
    return Frame(
      begin: line[..<begin], middle: line[(begin + timeLength)..<(end - 1)], end: line[end...])
  }
}
