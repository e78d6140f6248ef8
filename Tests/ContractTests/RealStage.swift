// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import BLEWorld
internal import BlueZSimulator
internal import TestSupport

/// A real bluetoothd on the system bus, in the rig, which brings `rig-bluetoothd`.
struct RealStage: Stage {
  let address = "unix:path=/run/dbus/system_bus_socket"

  @discardableResult
  private func rig(_ words: String...) async throws -> [String] { try await rig(words) }

  @discardableResult
  private func rig(_ words: [String]) async throws -> [String] {
    let result = try await ToolRun("/usr/bin/env", words).result()
    guard result.status == 0 else {
      let end = result.signal.map { "signal \($0)" } ?? "status \(result.status ?? -1)"
      throw RigFailure(command: words, words: "\(end): \(result.errorText)")
    }
    return result.lines
  }

  func killDaemon() async throws { try await rig("rig-bluetoothd", "kill") }
  func stopDaemon() async throws { try await rig("rig-bluetoothd", "stop") }
  func letDaemonDie() async throws { try await rig("rig-bluetoothd", "perish") }
  func startDaemon() async throws { try await rig("rig-bluetoothd", "start") }
  func killBus() async throws { try await rig("rig-bus", "kill") }
  func startBus() async throws { try await rig("rig-bus", "start") }
  func freezeDaemon() async throws { try await rig("rig-bluetoothd", "freeze") }
  func thawDaemon() async throws { try await rig("rig-bluetoothd", "thaw") }
  func switchOff() async throws { try await rig("rig-adapter", "off") }
  func switchOn() async throws { try await rig("rig-adapter", "on") }
  func hide(_ address: String) async throws { try await rig("rig-world", "hide", address) }
  func show(_ address: String) async throws { try await rig("rig-world", "show", address) }
  func changeAddress(_ address: String, to privateAddress: String?) async throws {
    try await rig("rig-world", "change-address", address, privateAddress ?? address)
  }
  func changeFirmware(of address: String, isNew: Bool) async throws {
    try await rig("rig-world", "move-attributes", address, isNew ? "2 from 0012" : "0")
  }
  func refuseSubscription(to characteristic: BluetoothUUID, of address: String) async throws {
    try await rig("rig-world", "refuse-subscription", address, characteristic.longForm)
  }
  func drop(_ address: String) async throws { try await rig("rig-world", "drop", address) }
  func setLinkTime(_ time: Duration?, of address: String) async throws {
    try await rig("rig-world", "link-time", address, time.map { "\(Int($0 / .milliseconds(1)))ms" } ?? "0ms")
  }
  func setClosingTime(_ time: Duration?) {}
  func setPacketTime(_ time: Duration) async throws {
    try await rig("rig-world", "packet-time", "\(Int(time / .microseconds(1)))us")
  }
  func received(_ address: String, _ characteristic: BluetoothUUID) async throws -> [[UInt8]] {
    try await rig("rig-world", "received", address, characteristic.longForm).map { try bytes($0) }
  }
  private func bytes(_ line: String) throws -> [UInt8] {
    if line == "-" { return [] }
    guard let bytes = Hex.bytes(line) else {
      throw RigFailure(command: ["received"], words: "not hex digits: \(line)")
    }
    return bytes
  }
  func receivedCount(_ address: String, _ characteristic: BluetoothUUID) async throws -> Int {
    try await count("received-count", address, characteristic)
  }
  func sentCount(_ address: String, _ characteristic: BluetoothUUID) async throws -> Int {
    try await count("sent-count", address, characteristic)
  }
  private func count(
    _ question: String, _ address: String, _ characteristic: BluetoothUUID
  ) async throws -> Int {
    let lines = try await rig("rig-world", question, address, characteristic.longForm)
    return lines.first.flatMap { Int($0) } ?? 0
  }
  func forgetReceived(_ address: String) async throws {
    try await rig("rig-world", "forget-received", address)
  }
  func passkey(shownBy address: String) async throws -> String {
    try await rig("rig-world", "passkey", address).first ?? ""
  }
  func type(_ digits: String, into address: String) async throws {
    try await rig("rig-world", "type", address, digits)
  }
  func forgetBonds(_ address: String) async throws { try await rig("rig-world", "forget-bond", address) }
  func bondCount(_ address: String) async throws -> Int {
    try await rig("rig-world", "bonds", address).first.flatMap { Int($0) } ?? 0
  }
  func askForSecurity(_ address: String) async throws { try await rig("rig-world", "ask-security", address) }
  func resetPairing(_ address: String) async throws { try await rig("rig-world", "reset", address) }

  func connectCentral(to adapter: String, mtu: Int, isHidden: Bool) async throws {
    try await rig(["rig-world", "central", "connect", adapter, "\(mtu)"] + (isHidden ? ["private"] : []))
  }
  func central(_ request: CentralRequest) async throws -> CentralAnswer {
    let line = try await rig(["rig-world", "central"] + request.words).first
    switch line?.split(separator: " ").map(String.init) ?? [] {
    case []: return .done()
    case let words where words[0] == "smp": return .notPaired
    case let words where words[0] == "att" && words.count == 2:
      return .refused(UInt8(words[1], radix: 16) ?? 0)
    case let words: return .done(try bytes(words[0]))
    }
  }
  func receivedByCentral(_ characteristic: BluetoothUUID, atLeast count: Int) async throws -> [[UInt8]] {
    try await rig("rig-world", "central", "received", characteristic.longForm, "\(count)").map {
      try bytes($0)
    }
  }
  func disconnectCentral() async throws { try await rig("rig-world", "central", "disconnect") }
  func forgetBondsOfCentral() async throws { try await rig("rig-world", "central", "forget-bonds") }

  struct RigFailure: Error {
    let command: [String]
    let words: String
  }
}
