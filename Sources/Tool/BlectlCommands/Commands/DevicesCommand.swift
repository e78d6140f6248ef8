// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLECentral
internal import BlectlSession
internal import JSON
internal import TerminalOutput
internal import ValueStreams

struct DevicesCommand: BlectlCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices", _superCommandName: Blectl.name,
    abstract: "List the devices that BlueZ already knows, without scanning.",
    discussion: """
      blectl devices --connected --json --simulate
      blectl simulate -- sh -c 'blectl scan --count 3; blectl devices'
      """)

  @Flag(help: "Only connected devices.")
  var connected = false
  @Flag(help: "Only paired devices.")
  var paired = false
  @Flag(help: "Only trusted devices.")
  var trusted = false
  @OptionGroup(title: CommonOptions.title) var common: CommonOptions

  func run(in context: CommandContext) async throws {
    let known = try await context.bus.central().knownPeripherals()
      .filter { (!connected || $0.isConnected) && (!paired || $0.isPaired) && (!trusted || $0.isTrusted) }
    let console = context.console
    if context.options.json {
      try console.write(known) { info, bytes in
        var json = JSONWriter()
        json.record(DeviceRecord(info: info, decoder: context.decoder))
        bytes += json.bytes
      }
    } else if console.output.isTerminal {
      if known.isEmpty { return context.remark("no devices") }
      try console.write(
        lines: DeviceText.known.lines(
          rows: known.map { DeviceText.knownCells($0) }, width: console.output.size?.columns,
          style: console.output.style))
    } else {
      try console.write(known) { info, bytes in
        bytes.append(contentsOf: TabSeparated.line(DeviceText.knownCells(info).map(\.text)).utf8)
        bytes.append(UInt8(ascii: "\n"))
      }
    }
  }
}

struct InfoCommand: DeviceCommand {
  static let configuration = CommandConfiguration(
    commandName: "info", _superCommandName: Blectl.name,
    abstract: "Show everything known about one device.",
    discussion: """
      blectl info 'Heart Strap' --simulate
      blectl info E7:10:20:30:40:50 --json --simulate
      """)

  @OptionGroup var target: TargetOptions
  @OptionGroup(title: CommonOptions.title) var common: CommonOptions

  func run(in context: CommandContext) async throws {
    let found = try await target.locator(in: context).find()
    let info = (try? await found.peripheral.info) ?? found
    let mtu = await info.peripheral.mtu
    if context.options.json {
      let record = DeviceRecord(info: info, isComplete: true, mtu: mtu, decoder: context.decoder)
      return try context.console.write(record)
    }
    if context.console.output.isTerminal {
      let style = context.console.output.style
      let lines = DeviceFacts.lines(info, mtu: mtu, context.decoder, width: nil, style: style)
      try context.console.write(lines: lines)
    } else {
      let facts = DeviceFacts.list(info, mtu: mtu, context.decoder)
      try context.console.write(lines: facts.map { TabSeparated.line([$0.name, $0.value]) })
    }
  }
}

extension Console {
  /// Writes the text of each element, in parts that a pipe takes at once: for lists that may be long.
  fileprivate func write<Element>(
    _ elements: some Sequence<Element>, appending append: (Element, inout [UInt8]) -> Void
  ) throws(ConsoleError) {
    var bytes: [UInt8] = []
    for element in elements {
      append(element, &bytes)
      guard bytes.count >= 1 << 16 else { continue }
      try write(bytes: bytes)
      bytes.removeAll(keepingCapacity: true)
    }
    try write(bytes: bytes)
  }
}
