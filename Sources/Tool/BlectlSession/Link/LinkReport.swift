// SPDX-License-Identifier: MIT
package import BLECentral
package import JSON
internal import TerminalOutput
internal import ValueStreams

/// The state of a link at one moment.
package struct LinkReport: Sendable, Record {
  /// A line of the report, and a key of its JSON.
  package enum Part: String, Sendable, CaseIterable {
    case rssi
    case txPower = "tx_power"
    case mtu
    case interval = "interval_ms"
    case latency
    case timeout = "supervision_timeout_ms"
    case phy
    case encrypted
    case bearer
    case role
    case since

    /// The name in the table.
    package var name: String {
      switch self {
      case .rssi: "RSSI"
      case .txPower: "TX power"
      case .mtu: "MTU"
      case .interval: "interval"
      case .latency: "latency"
      case .timeout: "timeout"
      case .phy: "PHY"
      case .encrypted: "encryption"
      case .bearer: "bearer"
      case .role: "role"
      case .since: "opened"
      }
    }
  }

  package let address: BluetoothAddress
  package let name: String?
  package let adapter: String
  package let origin: LinkOrigin
  package var rssi: Int?
  package var txPower: Int?
  package var mtu: Int?
  package var parameters: LinkParameters?
  package var phys: Directions?
  package var isEncrypted: Bool?
  package var isPaired = false
  package var isLE: Bool?
  package var isCentral: Bool?
  package var since: Timestamp?
  /// The reasons for the unknown parts.
  package var missing: [Part: RadioFailure] = [:]

  package struct Directions: Sendable, Hashable {
    package let tx: LinkPHY
    package let rx: LinkPHY
  }

  init(_ info: PeripheralInfo, _ origin: LinkOrigin) {
    (address, name, adapter) = (info.lastingAddress, info.name, info.adapter)
    self.origin = origin
    isPaired = info.isPaired
  }

  package func write(to json: inout JSONWriter) {
    let now = Timestamp.now
    json.event("link", at: now)
    json.field("address", address)
    json.field("name", name)
    json.field("adapter", adapter)
    json.field("rssi", rssi)
    json.field("tx_power", txPower)
    json.field("mtu", mtu)
    json.field("interval_ms", parameters?.intervalMilliseconds)
    json.field("latency", parameters.map { Int($0.latency) })
    json.field("supervision_timeout_ms", parameters?.timeoutMilliseconds)
    json.field("tx_phy", phys?.tx.rawValue)
    json.field("rx_phy", phys?.rx.rawValue)
    json.field("encrypted", isEncrypted)
    json.field("paired", isPaired)
    json.field("bearer", isLE.map { $0 ? "le" : "br_edr" })
    json.field("role", isCentral.map { $0 ? "central" : "peripheral" })
    json.field("opened_by", origin == .opened ? "this_command" : "others")
    json.field("since", since?.utc)
    json.field("uptime_s", since.map { max(0, now.seconds - $0.seconds) })
    guard !missing.isEmpty else { return }
    json.object("missing") { json in
      for part in Part.allCases { json.field(part.rawValue, missing[part]?.reason) }
    }
  }

  /// The lines for people and pipes; what is unknown says why.
  package var rows: [(part: Part, value: String)] {
    Part.allCases.map { part in (part, text(of: part) ?? unknown(part)) }
  }

  /// The parts that differ from an earlier report.
  package func changes(from former: LinkReport) -> Set<Part> {
    Set(zip(rows, former.rows).filter { $0.value != $1.value }.map(\.0.part))
  }

  private func unknown(_ part: Part) -> String { "unknown: \(missing[part]?.reason ?? "not reported")" }

  private func text(of part: Part) -> String? {
    switch part {
    case .rssi: return rssi.map { "\($0) dBm" }
    case .txPower: return txPower.map { "\($0) dBm" }
    case .mtu: return mtu.map { "\($0) bytes" }
    case .interval: return parameters.map { "\(Self.text($0.intervalMilliseconds)) ms" }
    case .latency: return parameters.map { "\($0.latency)" }
    case .timeout: return parameters.map { "\($0.timeoutMilliseconds) ms" }
    case .phy:
      return phys.map {
        $0.tx == $0.rx ? $0.tx.rawValue : "\($0.tx.rawValue) sending, \($0.rx.rawValue) receiving"
      }
    case .encrypted:
      guard let isEncrypted else { return nil }
      return (isEncrypted ? "yes" : "no") + (isPaired ? ", paired" : ", not paired")
    case .bearer: return isLE.map { $0 ? "LE" : "BR/EDR" }
    case .role: return isCentral.map { $0 ? "central" : "peripheral" }
    case .since:
      guard let since else { return nil }
      return "\(since.local), by \(origin == .opened ? "this command" : "another program or the device")"
    }
  }

  /// A number without needless decimals.
  private static func text(_ number: Double) -> String {
    number == number.rounded() ? "\(Int(number))" : "\(number)"
  }
}
