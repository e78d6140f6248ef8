// SPDX-License-Identifier: MIT
import JSON
import Testing

@testable import BLECentral
@testable import BlectlCommands

@Suite("Values of a stream, as text")
struct StreamTextTests {
  private static let uuids: [BluetoothUUID] = [
    .heartRateMeasurement, BluetoothUUID(short: 0xffe1), .batteryLevel,
  ]
  private static let values: [[UInt8]] = [
    [], [0, 60], [0x16, 70, 0, 4, 5, 6], Array(repeating: 0xa5, count: 20),
  ]

  private func batch(_ uuid: BluetoothUUID) throws -> ValueBatch {
    guard case .values(let batch) = SampleStream.values(Self.values, uuid: uuid) else { throw Unexpected() }
    return batch
  }

  private struct Unexpected: Error {}

  @Test("Batches are written as the same bytes as single records", arguments: uuids)
  func json(_ uuid: BluetoothUUID) throws {
    let batch = try batch(uuid)
    var json = JSONWriter()
    for notification in batch.notifications {
      json.object { batch.record(notification).write(to: &$0) }
      json.endRecord()
    }
    var writer = StreamJSON()
    var bytes: [UInt8] = []
    for _ in 1...2 { writer.append(.values(batch), to: &bytes) }
    #expect(
      String(decoding: bytes, as: UTF8.self) == String(decoding: json.bytes + json.bytes, as: UTF8.self))
  }

  @Test(
    "So are lines", arguments: [nil, .raw, .auto, .hex] as [ValueFormat?], [[false, true], [true, false]])
  func lines(_ format: ValueFormat?, _ shows: [Bool]) throws {
    let batch = try batch(.heartRateMeasurement)
    let captured = CapturedConsole()
    let output = ValueOutput(
      console: captured.console(), isJSON: false, format: format, showsTime: shows[0],
      showsCharacteristic: shows[1], showsAddress: shows[1])
    try output.write(batch.notifications.map { batch.record($0) })
    var writer = ValueTexts(output)
    var bytes: [UInt8] = []
    writer.append(batch, to: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self) == captured.output.joined())
  }
}
