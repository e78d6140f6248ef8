// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import AsyncIO
internal import BLEPeripheral
internal import BlectlArguments
internal import BlectlSerial
internal import BlectlSession
internal import Glibc
internal import TerminalOutput

/// A serial port of this machine, in place of a device of a world file.
struct ServeSerialOptions: ParsableArguments {
  @Flag(
    help: """
      Be a serial port (a Nordic UART): for a command after --, started for each central, or for the programs at --pty, \
      --tcp or --unix. There is no login: see --open.
      """)
  var serial = false

  @Flag(
    help: """
      With --serial: let every device in range use it. Otherwise, only those that have paired with a passkey or a \
      comparison do, which 'blectl agent' answers.
      """)
  var open = false

  @Option(
    help: ArgumentHelp(
      "With --serial: the advertised name. (default: the name of this machine)", valueName: "text"))
  var name: String?

  @Option(
    help: ArgumentHelp(
      "With --serial: be an L2CAP channel with this number instead; 0 takes a free one.", valueName: "n"),
    transform: { try UInt16(parsingPSM: $0, least: 0) })
  var psm: UInt16?

  @OptionGroup var place: SerialPlaceOptions

  @Flag(help: "With --serial: drop what is written without a central, instead of keeping it.")
  var drop = false

  func validate(command: [String], world: String?) throws {
    if serial == (world != nil) { throw ValidationError("give either WORLD.json or --serial.") }
    let others = [
      open ? "--open" : nil, name.map { _ in "--name" }, psm.map { _ in "--psm" },
      place.isGiven ? "--pty, --tcp or --unix" : nil,
    ]
    guard serial else {
      if let option = (others + [drop ? "--drop" : nil]).compactMap(\.self).first {
        throw ValidationError("\(option) needs --serial.")
      }
      return
    }
    if let name, name.utf8.count > Advertisement.longestName {
      throw ValidationError("--name must have at most \(Advertisement.longestName) bytes.")
    }
    if command.isEmpty != place.isGiven {
      throw ValidationError("--serial needs either --pty, --tcp or --unix, or a command after --.")
    }
  }

  /// Serves until the task is cancelled, or the time is over.
  func run(
    _ command: [String], buffer: Int, for duration: Duration?, in context: CommandContext
  ) async throws {
    let outputs = StreamOutputs.ofRecords(in: context)
    try await outputs.collect { [self] in
      try await run(command, buffer: buffer, for: duration, reportingTo: outputs, in: context)
    }
  }

  private func run(
    _ command: [String], buffer: Int, for duration: Duration?, reportingTo outputs: StreamOutputs,
    in context: CommandContext
  ) async throws {
    if let program = command.first { try ChildCommand.check(program) }
    let simulated = context.options.simulate ? try await SimulatedRadio(in: context) : nil
    let manager = try await context.bus.peripheralManager(adapter: simulated?.server)
    let end: SerialServer.End =
      place.isGiven
      ? .port(try await place.open(limit: buffer, in: context, reportingTo: outputs)) : .command(command)
    let server = SerialServer(
      end, security: open ? .none : .authenticated, limit: buffer, drops: drop, by: manager, in: context)
    if open { context.console.warn("every device in range can use the serial port: there is no login") }
    let name = name ?? Self.machineName
    do {
      try await context.loop.limited(to: duration) {
        if let psm {
          return try await server.run(as: name, channel: psm) { number in
            simulated?.announce(in: context)
            context.remark("serving a serial port as \(name), L2CAP channel \(number); press Ctrl-C to stop")
          }
        }
        try await server.run(as: name) {
          simulated?.announce(in: context)
          context.remark("serving a serial port as \(name); press Ctrl-C to stop")
        }
      }
    } catch {
      await manager.close()
      throw error
    }
    await manager.close()
  }

  /// The name of this machine, as far as it fits into an advertisement.
  private static var machineName: String {
    var name = [CChar](repeating: 0, count: 256)
    gethostname(&name, name.count - 1)
    let text = name.withUnsafeBytes { bytes in String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
    return String(text.prefix(Advertisement.longestName))
  }
}
