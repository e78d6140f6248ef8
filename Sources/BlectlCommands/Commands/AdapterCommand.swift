// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLECentral
internal import BlectlArguments
internal import BlectlSession
internal import TerminalOutput
internal import ValueStreams

struct AdapterCommand: BlectlCommand {
  static let configuration = CommandConfiguration(
    commandName: "adapter", abstract: "List adapters, show one, or switch one on or off.",
    discussion: """
      blectl adapter --simulate
      blectl adapter show -i hci0 --json --simulate
      blectl adapter on --simulate
      """)

  enum Action: String, CaseIterable {
    case list
    case show
    case on
    case off
  }

  @Argument(
    help: "list, show, on or off. (default: list)", completion: .list(Action.allWords),
    transform: { try Action(word: $0, of: "action") })
  var action = Action.list
  @OptionGroup(title: CommonOptions.title) var common: CommonOptions

  func run(in context: CommandContext) async throws {
    let central = try await context.bus.central()
    switch action {
    case .list where common.adapter != nil: try show([try await adapter(of: central, context)], context)
    case .list:
      // Throws when bluetoothd is not running; an empty list is a valid answer.
      let adapters = await central.adapters
      if adapters.isEmpty, await central.state != .unsupported { _ = try await central.currentAdapter() }
      try show(adapters, context)
    case .show: try show([try await adapter(of: central, context)], context)
    case .on, .off:
      let adapter = try await adapter(of: central, context)
      try await central.setPowered(action == .on, adapter: adapter, timeout: context.timeout)
      if common.json {
        try show(await central.adapters.filter { $0.id == adapter.id }, context)
      } else {
        context.remark("\(adapter.id) is \(action.rawValue)")
      }
    }
  }

  /// The selected adapter; here, a name that does not exist is an error with status 4.
  private func adapter(of central: CentralManager, _ context: CommandContext) async throws -> Adapter {
    let adapters = await central.adapters
    do {
      return try await central.currentAdapter()
    } catch {
      guard error.code == .noAdapter, let wanted = context.options.wantedAdapter else { throw error }
      throw CommandError(
        status: .notFound, message: "cannot find \(wanted): no such adapter",
        details: adapters.map { "\($0.id) \($0.address)" }, hint: "blectl adapter list")
    }
  }

  private func show(_ adapters: [Adapter], _ context: CommandContext) throws {
    let console = context.console
    if context.options.json {
      for adapter in adapters { try console.write(AdapterRecord(adapter: adapter)) }
      return
    }
    let rows = adapters.map { [$0.id, $0.address, AdapterCommand.state($0), $0.name] }
    guard console.output.isTerminal else {
      return try console.write(lines: rows.map { TabSeparated.line($0) })
    }
    if rows.isEmpty { return context.remark("no Bluetooth adapter") }
    let table = TableLayout(columns: [
      .init(title: "ADAPTER"), .init(title: "ADDRESS"), .init(title: "STATE"),
      .init(title: "NAME", isFlexible: true),
    ])
    try console.write(
      lines: table.lines(
        rows: rows.map { $0.map { TableLayout.Cell($0) } }, width: console.output.size?.columns,
        style: console.output.style))
  }

  private static func state(_ adapter: Adapter) -> String {
    if adapter.isBlocked { return "blocked" }
    if !adapter.isPowered { return "off" }
    return adapter.isDiscovering ? "scanning" : "on"
  }
}
