// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEFormats
internal import Glibc
internal import TestSupport
internal import ValueLogs
internal import ValueStreams

/// Prints what is published to Home Assistant for every field of every format: a line `TOPIC<tab>PAYLOAD` each, first the
/// announcements, then, behind an empty line, states and events.
@main
enum AllFields {
  /// Of each topic; further ones say nothing new.
  private static let mostStates = 12

  static func main() {
    var announcements: [String: BrokerMessage] = [:]
    var states: [String: [BrokerMessage]] = [:]
    var settings = HomeAssistantSettings(version: "1.0", sightings: DeviceSightings { _ in true })
    settings.limit = 10_000
    let sightings = settings.sightings
    var assistant = HomeAssistant(settings, topic: "fields")
    var now = ContinuousClock.now
    func take(_ event: StreamEvent, from address: BluetoothAddress, named name: String) {
      sightings.note(HeardDevice(address: address, name: name), at: now)
      assistant.take(event, at: now)
      now += .seconds(3)
    }
    func collect(_ messages: [BrokerMessage]) {
      for message in messages {
        if message.topic.hasSuffix("/config") {
          announcements[message.topic] = message
        } else if states[message.topic, default: []].count < mostStates {
          states[message.topic, default: []].append(message)
        }
      }
    }
    var numbers: [String: UInt8] = [:]
    var samples = 0
    SampleFormats.forEach { format in
      let number = numbers[format.type] ?? UInt8(numbers.count)
      numbers[format.type] = number
      let address = address(0xc1, number)
      var fields = format.namedFields
      fields.add("rssi_dbm", -60, label: "RSSI", unit: "dBm")
      let origin = ValueOrigin(
        address: address, name: format.type,
        advertisement: ValueAdvertisement(.service(BTHome.service, []), format: format))
      let value = ReceivedValue([], at: .now)
      take(.values(ValueBatch([value], decoded: [fields], of: origin)), from: address, named: format.type)
      samples += 1
      // All devices are looked at each time.
      if samples % 256 == 0 { collect(assistant.messages(at: now)) }
    }
    var seed: UInt64 = 7
    for (index, number) in ValueLayout.numbers.enumerated() {
      guard let layout = ValueLayout(for: BluetoothUUID(short: number)) else { continue }
      let address = address(0xc2, UInt8(index / 8))
      for count in 0..<200 {
        let bytes = (0..<count % 24).map { _ in
          seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
          return UInt8(truncatingIfNeeded: seed >> 33)
        }
        guard !layout.decode(bytes).fields.isEmpty else { continue }
        let event = SampleStream.values(
          [bytes], uuid: BluetoothUUID(short: number), address: address, name: "Device \(index / 8)")
        take(event, from: address, named: "Device \(index / 8)")
        if count == 199 { collect(assistant.messages(at: now)) }
      }
    }
    collect(assistant.messages(at: now, everything: true))
    for topic in announcements.keys.sorted() { if let message = announcements[topic] { write(message) } }
    print()
    for topic in states.keys.sorted() { states[topic]?.forEach(write) }
  }

  private static func address(_ first: UInt8, _ number: UInt8) -> BluetoothAddress {
    guard let address = BluetoothAddress(bytes: [first, 0, 0, 0, 0, number]) else {
      preconditionFailure("six bytes are an address")
    }
    return address
  }

  private static func write(_ message: BrokerMessage) {
    print("\(message.topic)\t\(String(decoding: message.payload, as: UTF8.self))")
  }
}
