// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import BLEWorld
internal import BlueZSimulator
internal import Glibc
internal import TestWorlds

/// The world of the contract suite on a simulated BlueZ, for tests that are not written in Swift.
///
/// It prints the address of its bus, obeys the commands of the rig's `rig-world` from its input, a line each, answers
/// each with `ok` or `error: …`, and ends with its input. `--experimental` offers passive scanning, too. `--bluez VERSION`
/// chooses the version that it imitates.
@main
enum ContractWorld {
  /// The adapter has the address of the rig's.
  private static let world = World(
    bluez: version, adapters: [AdapterSpec(address: "C0:11:22:33:44:01")],
    peripherals: World.contract.peripherals)

  private static let version: BlueZRelease = {
    let arguments = CommandLine.arguments
    guard let index = arguments.firstIndex(of: "--bluez"), index + 1 < arguments.count else { return .v5_66 }
    guard let version = BlueZRelease(rawValue: arguments[index + 1]) else {
      preconditionFailure("no such version of BlueZ: \(arguments[index + 1])")
    }
    return version
  }()

  static func main() async throws {
    let bus = try await SimulatedBus.start(
      world: world, isExperimental: CommandLine.arguments.contains("--experimental"))
    say(bus.address)
    while let line = readLine() {
      let words = line.split(separator: " ", maxSplits: 1).map(String.init)
      say(await perform(words.first ?? "", on: words.count > 1 ? words[1] : nil, bus.simulator))
    }
    await bus.stop()
  }

  private static func perform(_ command: String, on who: String?, _ simulator: Simulator) async -> String {
    if command == "packet-time" {
      guard let time = who.flatMap({ DurationText.duration($0) }) else { return "error: not a duration" }
      await simulator.setPacketTime(time)
      return "ok"
    }
    if command.hasPrefix("received") {
      return await received(who ?? "", simulator, isCount: command == "received-count")
    }
    if ["passkey", "type", "bonds"].contains(command) { return await pairing(command, who ?? "", simulator) }
    let chosen = world.peripherals.filter { peripheral in
      who.map { isCalled($0, peripheral) } ?? (command != "show" || peripheral.isPresent)
    }
    if chosen.isEmpty { return "error: no device '\(who ?? "")'" }
    for peripheral in chosen {
      switch command {
      case "show": await simulator.appear(peripheral.address)
      case "hide", "lose": await simulator.vanish(peripheral.address)
      case "forget-received": await simulator.forgetReceived(peripheral.address)
      case "drop": await simulator.dropLink(peripheral.address)
      case "forget-bond": await simulator.forgetBonds(peripheral.address)
      case "ask-security": await simulator.askForSecurity(peripheral.address)
      case "reset":
        await simulator.resetPairing(peripheral.address)
        if !peripheral.isPresent { await simulator.vanish(peripheral.address) }
      case "restart":
        await simulator.stopDaemon()
        do { try await simulator.startDaemon() } catch { return "error: \(error)" }
        return "ok"
      default: return "error: no command '\(command)'"
      }
    }
    return "ok"
  }

  private static func isCalled(_ who: some StringProtocol, _ peripheral: PeripheralSpec) -> Bool {
    peripheral.address == who || peripheral.advertisement.name.map { $0 == who } ?? false
  }

  /// The number that a device for pairing shows, or a command for it.
  private static func pairing(_ command: String, _ rest: String, _ simulator: Simulator) async -> String {
    var who = rest[...]
    var digits = ""
    if command == "type", let space = rest.lastIndex(of: " ") {
      who = rest[..<space]
      digits = String(rest[rest.index(after: space)...])
    }
    guard let device = world.peripherals.first(where: { isCalled(who, $0) }) else {
      return "error: no device '\(who)'"
    }
    switch command {
    case "type":
      guard let passkey = PasskeyText.passkey(digits) else { return "error: not six digits: '\(digits)'" }
      await simulator.typePasskey(device.address, passkey)
      return "ok"
    case "bonds": return "\(await simulator.bondCount(device.address))\nok"
    default:
      guard let passkey = await simulator.passkey(shownBy: device.address) else {
        return "error: it shows no passkey"
      }
      return "\(PasskeyText.text(passkey))\nok"
    }
  }

  /// The values written to a characteristic, one a line, or their number.
  private static func received(_ rest: String, _ simulator: Simulator, isCount: Bool) async -> String {
    guard let space = rest.lastIndex(of: " "),
      let uuid = BluetoothUUID(String(rest[rest.index(after: space)...]))
    else { return "error: expected a device and a UUID" }
    let who = rest[..<space]
    let device = world.peripherals.first { isCalled(who, $0) }
    guard let device else { return "error: no device '\(who)'" }
    let values = await simulator.received(device.address, uuid)
    let lines = isCount ? ["\(values.count)"] : values.map { $0.isEmpty ? "-" : Hex.string($0) }
    return (lines + ["ok"]).joined(separator: "\n")
  }

  private static func say(_ line: String) {
    // The reader waits for each line, so stdout is not buffered.
    var bytes = Array((line + "\n").utf8)
    while !bytes.isEmpty {
      let count = write(1, bytes, bytes.count)
      guard count > 0 else { return }
      bytes.removeFirst(count)
    }
  }
}
