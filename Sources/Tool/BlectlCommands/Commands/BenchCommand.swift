// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLECentral
internal import BlectlArguments
internal import BlectlScripting
internal import BlectlSession
internal import TerminalOutput
internal import ValueStreams

struct BenchCommand: DeviceCommand, PairingCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench", _superCommandName: Blectl.name,
    abstract: "Measure how fast a link is, and how soon a device answers.",
    discussion: """
      blectl bench 'Heart Strap' 2a37 --duration 3s --simulate
      blectl bench 'Heart Strap' 2a38 --read --count 20 --simulate
      blectl bench Piano ffe3 --write f03d3d0002f7 --reply ffe2 --count 9 --simulate

      Without options, it counts notifications. It prints values and bytes a second, and how the times between notifications, \
      or until answers, are distributed. Values that begin with a counter show how many are missing.
      """)

  @OptionGroup var target: TargetOptions
  @Argument(
    help: "What to measure: a UUID or its name, SERVICE/CHAR, or @HANDLE as 'services' prints it.",
    completion: LiveCompletion.characteristic, transform: CharacteristicArgument.init(parsing:))
  var characteristic: CharacteristicArgument
  @Flag(help: "Read again and again.")
  var read = false
  @Option(
    help: ArgumentHelp(
      "Write this value again and again, each time when the device has confirmed the one before; see 'write'.",
      valueName: "value"), transform: ValueArgument.init(parsing:))
  var write: ValueArgument?
  @Flag(help: "With --write: without response, as fast as the link takes it.")
  var noResponse = false
  @Option(
    help: ArgumentHelp(
      "With --write: wait each time for the next notification of this characteristic.", valueName: "char"),
    completion: LiveCompletion.characteristic, transform: CharacteristicArgument.init(parsing:))
  var reply: CharacteristicArgument?
  @Option(
    help: ArgumentHelp("How long to measure; 0 is no limit. (default: 10s)", valueName: "duration"),
    transform: DurationArgument.init(parsing:))
  var duration: DurationArgument?
  @Option(help: ArgumentHelp("End after this many values.", valueName: "n"))
  var count: Int?
  @Flag(help: PairingHelp.pair) var pair = false
  @Option(help: PairingHelp.passkey, transform: Passkey.init(parsing:)) var passkey: Passkey?
  @OptionGroup(title: CommonOptions.title) var common: CommonOptions

  func validate() throws {
    try validatePairing()
    if read, write != nil { throw ValidationError("--read and --write cannot be used together.") }
    if write == nil, noResponse { throw ValidationError("--no-response needs --write.") }
    if write == nil, reply != nil { throw ValidationError("--reply needs --write.") }
    if let count, count < 1 { throw ValidationError("--count must be at least 1.") }
  }

  func run(in context: CommandContext) async throws {
    let value = try write.map { value in
      try ValueSource.payloads([value], from: nil, for: characteristic.identity(of: target.device.subject))[0]
        .bytes
    }
    let link = try await DeviceConnection.open(
      target.choice, in: context, pairing: PairingOnDemand(pairingAnswers, in: context))
    let found = try await link.characteristics([characteristic] + (reply.map { [$0] } ?? []))
    if kind == .notifications { try requireNotifications(found[0], of: link) }
    // The device cannot ask for it.
    if noResponse { try await link.pairBeforehand() }
    let tally = BenchTally()
    let bench = LinkBench(
      link, found[0], for: duration.map(\.limit) ?? .seconds(10), atMost: count, timeout: context.timeout,
      tally: tally)
    var result = BenchResult(
      kind, of: found[0].uuid, over: link, mtu: await link.peripheral.mtu)
    var interruption: (any Error)?
    do {
      try await context.showingProgress({ "measuring: \(tally.count) values, \(tally.bytes) bytes" }) {
        try await link.request { try await measure(bench, value, reply: found.dropFirst().first) }
      }
    } catch {
      interruption = error
    }
    tally.fill(&result)
    if interruption == nil || result.count > 0 { try show(result, context.console) }
    if let interruption { throw interruption }
    if result.count == 0 {
      throw CommandError(
        status: .timedOut, message: "cannot measure \(found[0].title) of \(link.title): no value arrived",
        hint: "a longer --duration, or --read or --write VALUE, where the device sends nothing by itself")
    }
  }

  private var kind: BenchResult.Kind {
    if read { return .reads }
    guard write != nil else { return .notifications }
    return reply != nil ? .roundTrips : noResponse ? .writesWithoutResponse : .writes
  }

  private func requireNotifications(
    _ characteristic: GATTCharacteristic, of link: DeviceConnection
  ) throws(CommandError) {
    let properties = characteristic.properties
    guard properties.isDisjoint(with: [.notify, .indicate]) else { return }
    let others = [
      properties.contains(.read) ? "--read" : nil,
      properties.isDisjoint(with: [.write, .writeWithoutResponse]) ? nil : "--write VALUE",
    ].compactMap(\.self)
    throw CommandError(
      status: .failed,
      message: "cannot measure \(characteristic.title) of \(link.title): it sends no notifications",
      hint: others.isEmpty ? nil : "use \(others.alternatives)")
  }

  private func measure(_ bench: LinkBench, _ value: [UInt8]?, reply: GATTCharacteristic?) async throws {
    guard let value else { return try await read ? bench.read() : bench.countNotifications() }
    let type: WriteType = noResponse ? .withoutResponse : .withResponse
    if let reply { return try await bench.roundTrip(value, type: type, reply: reply) }
    try await noResponse ? bench.writeWithoutResponse(value) : bench.write(value)
  }

  private func show(_ result: BenchResult, _ console: Console) throws {
    if common.json { return try console.write(result) }
    let rows = result.rows
    guard console.output.isTerminal else {
      return try console.write(lines: rows.map { TabSeparated.line([$0.name, $0.value]) })
    }
    let width = (rows.map(\.name.count).max() ?? 0) + 2
    try console.write(
      lines: rows.map { $0.name + String(repeating: " ", count: width - $0.name.count) + $0.value })
  }
}
