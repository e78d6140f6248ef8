// SPDX-License-Identifier: MIT
internal import BLECentral
internal import TestSupport
internal import Testing

/// What `link` reports, and what it sets, beside what btmon shows of it.
extension Contract.LinkFacts {
  private static let opened = ["LE Connection Complete", "LE Enhanced Connection Complete"]
  private static let updated = "LE Connection Update Complete"

  /// Runs `link` with JSON, while btmon listens.
  private func traced(_ options: [String] = []) async throws -> (ToolResult, BtmonTrace) {
    try await BtmonTrace.during { try await link(options + ["--json"]) }
  }

  private func record(of result: ToolResult) throws -> JSONRecord {
    #expect(result.status == 0, "\(result.errorText)")
    return try #require(try result.records.first, "\(result.errorText)")
  }

  private func expectParameters(of record: JSONRecord, in packet: BtmonTrace.Packet) {
    #expect(record["interval_ms"]?.real == packet.number("Connection interval"))
    #expect(record["latency"]?.real == packet.number("Connection latency"))
    #expect(record["supervision_timeout_ms"]?.real == packet.number("Supervision timeout"))
    for part in ["interval_ms", "latency", "supervision_timeout_ms"] {
      #expect(record[part] != nil, "\(part)")
    }
  }

  /// The name of a PHY that btmon calls `LE 2M`.
  private static func phy(_ name: String?) -> String? { name.map { $0.dropFirst(3).lowercased() } }

  @Test("What is reported of a link is what btmon shows of it", .enabled(if: Stages.isReal))
  func reported() async throws {
    let (result, trace) = try await traced()
    let record = try record(of: result)
    let opened = try #require(
      trace.packets.last { packet in
        packet.isEvent && packet.isSuccess && Self.opened.contains(packet.name)
          && packet["Peer address"] == "\(BuiltIn.strap)"
      }, "\(trace.packets.map(\.name))")
    expectParameters(of: record, in: trace.success(Self.updated) ?? opened)
    #expect(record["role"]?.text == opened["Role"]?.lowercased())
    let rssi = try #require(trace.success("Read RSSI"))
    #expect(record["rssi"]?.real == rssi.number("RSSI"))
    let power = try #require(trace.success("Read Transmit Power Level"))
    #expect(record["tx_power"]?.real == power.number("TX power"))
    let phys = try #require(trace.success("LE Read PHY"))
    #expect(record["tx_phy"]?.text == Self.phy(phys["TX PHY"]))
    #expect(record["rx_phy"]?.text == Self.phy(phys["RX PHY"]))
    for packet in [rssi, power, phys] { #expect(packet.number("Handle") == opened.number("Handle")) }
    #expect(record["encrypted"]?.flag == false && trace.success("Encryption Change") == nil)
  }

  @Test("A link is reported as encrypted when btmon shows that it is", .enabled(if: Stages.isReal))
  func encryption() async throws {
    try await PairingStage.with(BuiltIn.justWorks) { _, peripheral in
      let (result, trace) = try await BtmonTrace.during {
        try await peripheral.pair()
        return try await link(["--json"], to: BuiltIn.justWorks)
      }
      let record = try record(of: result)
      let change = try #require(trace.success("Encryption Change"))
      #expect(change["Encryption"]?.hasPrefix("Enabled") == true)
      #expect(record["encrypted"]?.flag == true && record["paired"]?.flag == true)
    }
  }

  @Test(
    "Parameters that are set are those that btmon shows, asked for and agreed", .enabled(if: Stages.isReal))
  func update() async throws {
    let (result, trace) = try await traced(
      ["--interval", "30ms", "--latency", "2", "--supervision-timeout", "3s"])
    let record = try record(of: result)
    let asked = try #require(trace.command("LE Connection Update"))
    #expect(asked.number("Min connection interval") == 30 && asked.number("Max connection interval") == 30)
    #expect(asked.number("Connection latency") == 2 && asked.number("Supervision timeout") == 3000)
    expectParameters(of: record, in: try #require(trace.success(Self.updated)))
    #expect(record["interval_ms"]?.real == 30 && record["latency"]?.number == 2)
  }

  @Test(
    "Parameters that the device refuses are an error with the code that btmon shows",
    .enabled(if: Stages.isReal))
  func refusal() async throws {
    let (result, trace) = try await traced(["--interval", "3s"])
    #expect(result.status == 1 && result.output.isEmpty)
    let refused = try #require(trace.event(Self.updated))
    #expect(refused.fields["Status"] == "Unacceptable Connection Parameters (0x3b)")
    #expect(result.errorText.contains("refused, HCI 0x3b"), "\(result.errorText)")
  }

  @Test(
    "The PHY is what came of the request as btmon shows it, also if the device lacks the wanted one",
    .enabled(if: Stages.isReal), arguments: [("2m", "2m"), ("coded", "1m")])
  func phy(wanted: String, outcome: String) async throws {
    let (result, trace) = try await traced(["--phy", wanted])
    let record = try record(of: result)
    #expect(trace.command("LE Set PHY") != nil)
    let update = try #require(trace.success("LE PHY Update Complete"))
    #expect(Self.phy(update["TX PHY"]) == outcome && Self.phy(update["RX PHY"]) == outcome)
    #expect(record["tx_phy"]?.text == outcome && record["rx_phy"]?.text == outcome)
  }
}
