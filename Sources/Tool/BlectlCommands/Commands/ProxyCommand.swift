// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import AsyncIO
internal import BlectlArguments
internal import BlectlSession
internal import BluetoothProxy
internal import TerminalOutput

struct ProxyCommand: BlectlCommand {
  static let configuration = CommandConfiguration(
    commandName: "proxy", _superCommandName: Blectl.name,
    abstract: "Be a Bluetooth proxy of Home Assistant.",
    discussion: """
      blectl proxy --key-file attic.key --port 0 --duration 1s --simulate
      blectl proxy --no-connections --plaintext --port 0 --duration 1s --simulate

      Home Assistant hears and connects to the devices in range of this machine, as through an ESP32 with ESPHome. It finds \
      the proxy by itself where avahi-daemon runs, and asks for the key, which is made at the first start.

      The key is in proxy.key in $STATE_DIRECTORY, or in ~/.config/blectl. Whoever has it can read, write and pair every \
      device in range. With --plaintext, everyone on the network can.

      Each client of each proxy is printed, and each link. With several -i, each adapter is a proxy of its own, with a number \
      behind its name, on the next port. The proxy waits for the bus, bluetoothd and the adapter, at the start and later.
      """)

  @Option(
    help: ArgumentHelp("The name in Home Assistant and on the network. (default: the name of this machine)"))
  var name: String?
  @Option(help: ArgumentHelp("The TCP port; 0 takes a free one.", valueName: "port"))
  var port: UInt16 = 6053
  @Option(
    help: ArgumentHelp("The file of the key, made if it is missing.", valueName: "file"), completion: .file())
  var keyFile: String?
  @Flag(help: "Do not encrypt: for tests, and networks of your own.") var plaintext = false
  @Flag(help: "Only pass on what devices advertise.") var noConnections = false
  @Option(
    help: ArgumentHelp("How many devices may be connected at once. (default: 5)", valueName: "n"))
  var maxConnections: Int?
  @Flag(
    name: .customLong("no-mdns"), help: "Do not announce the proxy: Home Assistant needs its host and port.")
  var noMDNS = false
  @Option(
    help: ArgumentHelp("How long to run; 0 is no limit. (default: 0)", valueName: "duration"),
    transform: DurationArgument.init(parsing:))
  var duration = DurationArgument(nil)
  @OptionGroup(title: CommonOptions.title) var common: CommonOptions

  func validate() throws {
    if plaintext, keyFile != nil {
      throw ValidationError("--plaintext and --key-file cannot be used together.")
    }
    if noConnections, maxConnections != nil {
      throw ValidationError("--no-connections and --max-connections cannot be used together.")
    }
    if let maxConnections, !(1...32).contains(maxConnections) {
      throw ValidationError("--max-connections must be between 1 and 32, not \(maxConnections).")
    }
    if let name, ProxyName(from: name) == nil {
      throw ValidationError("--name needs a letter from a to z, or a digit.")
    }
    let last = Int(port) + common.adapter.count - 1
    if port != 0, last > Int(UInt16.max) { throw ValidationError("--port is too high for so many adapters.") }
    if let twice = common.adapter.first(where: { name in common.adapter.count { $0 == name } > 1 }) {
      throw ValidationError("-i names \(twice) twice.")
    }
  }

  /// The key of the clients; nil for a proxy that does not encrypt.
  private func key(in context: CommandContext) throws(CommandError) -> ProxyKey? {
    guard !plaintext else {
      context.console.warn("without encryption, everyone on the network can use the devices in range")
      return nil
    }
    if let reason = ProxyTransport.missingCiphers() {
      throw CommandError(
        status: .failed, message: "cannot encrypt: \(reason)", hint: "--plaintext, for tests")
    }
    return try ProxyKeyFile(given: keyFile).key(in: context)
  }

  func run(in context: CommandContext) async throws {
    let key = try key(in: context)
    var options = ProxyService.Options(name: name ?? HostName.current ?? "blectl")
    (options.key, options.isAnnounced) = (key, !noMDNS && !common.simulate)
    if noConnections {
      options.maxConnections = 0
    } else if let maxConnections {
      options.maxConnections = maxConnections
    }
    let adapters: [String?] = common.adapter.isEmpty ? [context.options.wantedAdapter] : common.adapter
    let outputs = StreamOutputs.ofRecords(in: context)
    let bodies = adapters.enumerated().map { place, adapter in
      let service = ProxyService(
        options, number: place, on: adapter, port: port == 0 ? 0 : port + UInt16(place), outputs: outputs,
        context: context)
      return context.loop.confinedWork { try await service.run() }
    }
    let limit = duration.limit
    try await outputs.collect {
      try await context.loop.limited(to: limit) { try await context.loop.race(bodies) }
    }
  }
}
