// SPDX-License-Identifier: MIT
package import BLECentral
package import JSON
internal import TerminalOutput

/// A single value of a stream, for a command that is run for it.
package struct ValueRecord: HookRecord {
  private let origin: ValueOrigin
  private let value: ReceivedValue
  private let decoded: DecodedFields?

  package init(_ value: ReceivedValue, of origin: ValueOrigin, _ decoded: DecodedFields?) {
    (self.value, self.origin, self.decoded) = (value, origin, decoded)
  }

  package func write(to json: inout JSONWriter) {
    json.event(hookEvent, at: value.time)
    origin.write(to: &json)
    json.fields(value: value.value, decoded: decoded)
    json.field("via", origin.transport.rawValue)
  }

  package var hookEvent: String { "value" }
  package var hookAddress: BluetoothAddress? { origin.address }
  package var hookVariables: [String: String] {
    origin.hookVariables.merging(["BLECTL_VALUE": Hex.string(value.value)]) { _, new in new }
  }
}

extension AverageRecord: HookRecord {
  package var hookEvent: String { "average" }
  package var hookAddress: BluetoothAddress? { origin.address }
  package var hookVariables: [String: String] { origin.hookVariables }
}

extension AlarmRecord: HookRecord {
  package var hookEvent: String { event.rawValue }
  package var hookAddress: BluetoothAddress? { address }
  package var hookVariables: [String: String] { ["BLECTL_NAME": name ?? "", "BLECTL_WHEN": condition] }
}

extension AbsenceRecord: HookRecord {
  package var hookEvent: String { event.rawValue }
  package var hookAddress: BluetoothAddress? { address }
  package var hookVariables: [String: String] { ["BLECTL_NAME": name ?? ""] }
}

extension ValueOrigin {
  fileprivate var hookVariables: [String: String] {
    var variables = ["BLECTL_NAME": name ?? ""]
    switch source {
    case .attribute(let attribute):
      variables["BLECTL_SERVICE"] = attribute.characteristic.service.longForm
      variables["BLECTL_CHARACTERISTIC"] = attribute.characteristic.uuid.longForm
    case .advertisement(let advertisement):
      variables["BLECTL_SERVICE"] = advertisement.service?.longForm
      variables["BLECTL_TYPE"] = advertisement.word
    }
    return variables
  }
}

extension StreamEvent {
  /// The values or the average in it, each as a record.
  package var valueRecords: [any HookRecord] {
    switch self {
    case .values(let batch):
      let decoded = batch.decoded
      return batch.values.indices.map { ValueRecord(batch.values[$0], of: batch.origin, decoded[$0]) }
    case .average(let average): return [average]
    case .alarm, .absence, .link, .reception, .dropped, .written, .served, .record, .line: return []
    }
  }

  /// The alarm or the absence in it.
  package var noticeRecords: [any HookRecord] {
    switch self {
    case .alarm(let alarm): [alarm]
    case .absence(let absence): [absence]
    case .values, .average, .link, .reception, .dropped, .written, .served, .record, .line: []
    }
  }
}
