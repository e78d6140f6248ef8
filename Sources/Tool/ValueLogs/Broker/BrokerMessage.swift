// SPDX-License-Identifier: MIT
internal import BLECentral
internal import ValueStreams

package struct BrokerMessage: Sendable {
  package let topic: String
  package let payload: ArraySlice<UInt8>
  /// True if the broker keeps it for later subscribers.
  var isRetained = false

  static func retained(_ topic: String, _ payload: some Collection<UInt8>) -> BrokerMessage {
    BrokerMessage(topic: topic, payload: Array(payload)[...], isRetained: true)
  }
}

/// A message that the broker has sent.
struct ReceivedMessage: Sendable {
  let topic: String
  /// Nil if it is too long.
  let payload: [UInt8]?
  /// True if the broker had kept it from before the subscription.
  var isRetained = false
}

/// Turns the events of a stream into messages, one for each record of `--json`.
struct BrokerRecords {
  /// The prefix of all topics.
  let topic: String
  private var json = EventJSON()

  init(topic: String) { self.topic = topic }

  /// The topic that says whether the log is being written.
  var statusTopic: String { "\(topic)/status" }

  mutating func messages(of event: StreamEvent) -> [BrokerMessage] {
    var lines: [UInt8] = []
    json.append(event, to: &lines)
    let topic = topic(of: event)
    return lines.split(separator: UInt8(ascii: "\n")).map { BrokerMessage(topic: topic, payload: $0) }
  }

  private func topic(of event: StreamEvent) -> String {
    switch event {
    case .values(let batch): topic(of: batch.origin)
    case .average(let average): topic(of: average.origin)
    case .link(let link): topic(link.address)
    case .alarm(let alarm): "\(topic(alarm.address))/alarm"
    case .absence(let absence): absence.address.map { "\(topic($0))/absence" } ?? topic
    case .dropped, .reception, .line: topic
    case .written(let record): topic(record.address, record.characteristic.uuid)
    case .served(let record): record.address.map { topic($0, record.attribute?.characteristic) } ?? topic
    case .record(let record):
      switch record.subject {
      case .value(let origin, _): topic(of: origin)
      case .device(let address): topic(address)
      case .adapter(let adapter): "\(topic)/\(adapter)"
      case .everything: topic
      }
    }
  }

  /// The topic of the values of a characteristic, `TOPIC/F0:F1:F2:F3:F4:F5/2a37`, or of an advertised format.
  private func topic(of origin: ValueOrigin) -> String {
    "\(topic(origin.address))/\(origin.attribute?.characteristic.uuid.description ?? origin.word)"
  }

  private func topic(_ address: BluetoothAddress, _ characteristic: BluetoothUUID? = nil) -> String {
    "\(topic)/\(address)" + (characteristic.map { "/\($0)" } ?? "")
  }
}
