// SPDX-License-Identifier: MIT
internal import BLECentral
package import JSON
internal import TerminalOutput

/// A step of the attempt with a device, reported when it is over.
package struct DeviceStage: Sendable {
  /// The steps; JSON values that scripts may rely on.
  package enum Kind: String, Sendable {
    case bluetoothd
    case known
    case heard
    case connect
    case link
    case services
    case read
    /// Only of a device without readable values.
    case subscribe
    case pairing
    case disconnect
  }

  /// A number, a text or a flag of a step, for records.
  package enum Fact: Sendable {
    case count(Int)
    case seconds(Duration)
    case flag(Bool)
    case text(String)
    case texts([String])
  }

  package let kind: Kind
  package let status: Finding.Status
  /// The time from the start of the attempt to the end of the stage.
  package let elapsed: Duration
  /// The time that the stage has taken.
  package let duration: Duration
  /// A sentence for people, without a full stop.
  package let message: String
  let time = Timestamp.now
  private let facts: KeyValuePairs<String, Fact?>

  package init(
    _ kind: Kind, _ status: Finding.Status, after elapsed: Duration, lasting duration: Duration,
    _ message: String, _ facts: KeyValuePairs<String, Fact?> = [:]
  ) {
    (self.kind, self.status, self.elapsed, self.duration) = (kind, status, elapsed, duration)
    (self.message, self.facts) = (message, facts)
  }
}

extension DeviceStage: Record {
  package func write(to json: inout JSONWriter) {
    json.field("event", "stage")
    json.field("time", time.utc)
    json.field("seconds", elapsed.secondCount)
    json.field("duration_seconds", duration.secondCount)
    json.field("stage", kind.rawValue)
    json.field("status", status.rawValue)
    json.field("message", message)
    for (key, fact) in facts {
      switch fact {
      case .count(let count): json.field(key, count)
      case .seconds(let duration): json.field(key, duration.secondCount)
      case .flag(let flag): json.field(key, flag)
      case .text(let text): json.field(key, text)
      case .texts(let texts): json.field(key, texts)
      case nil: break
      }
    }
  }
}

extension DeviceDiagnosis: Record {
  package func write(to json: inout JSONWriter) {
    json.field("event", "diagnosis")
    json.field("time", Timestamp.now.utc)
    json.field("address", address?.description)
    json.field("healthy", isHealthy)
    json.field("cause", cause?.rawValue)
    json.field("message", message)
    json.field("evidence", evidence.isEmpty ? nil : evidence)
    json.field("fix", fix)
    if findings.isEmpty { return }
    json.array("findings") { json in
      for finding in findings { json.object { finding.write(to: &$0) } }
    }
  }
}

extension DeviceFinding {
  fileprivate func write(to json: inout JSONWriter) {
    json.field("cause", cause.rawValue)
    json.field("status", status.rawValue)
    json.field("message", message)
    json.field("evidence", evidence.isEmpty ? nil : evidence)
    json.field("fix", fix)
  }
}
