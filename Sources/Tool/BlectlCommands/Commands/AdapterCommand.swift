// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLECentral
internal import BlectlArguments
internal import BlectlSession
internal import JSON
internal import TerminalOutput
internal import ValueStreams

struct AdapterCommand: BlectlCommand {
  static let configuration = CommandConfiguration(
    commandName: "adapter", _superCommandName: Blectl.name,
    abstract: "List adapters; show, switch or reset one; choose its PHYs.",
    discussion: """
      blectl adapter --simulate
      blectl adapter show -i hci0 --json --simulate
      blectl adapter on --simulate
      blectl adapter reset --simulate

      'reset' resets the USB device of the adapter if it has one and that is permitted, else it switches the adapter off and on. \
      The links of all programs end.

      'phy' shows the PHYs of LE that the kernel may use for new links; 'phy 1m,2m' selects them. Both need CAP_NET_ADMIN. 1M \
      always stays.
      """)

  enum Action: String, CaseIterable {
    case list
    case show
    case on
    case off
    case phy
    case reset
  }

  @Argument(
    help: "list, show, on, off, phy or reset. (default: list)", completion: .list(Action.allWords),
    transform: { try Action(word: $0, of: "action") })
  var action = Action.list
  @Argument(
    help: ArgumentHelp("With phy: the PHYs to select, such as 1m,2m,coded.", valueName: "phys"),
    completion: .list(["1m", "1m,2m", "1m,2m,coded"]), transform: PHYList.init(parsing:))
  var phys: PHYList?
  @OptionGroup(title: CommonOptions.title) var common: CommonOptions

  func validate() throws {
    if phys != nil, action != .phy { throw ValidationError("only 'phy' takes PHYs.") }
  }

  func run(in context: CommandContext) async throws {
    let central = try await context.bus.central()
    switch action {
    case .list where !common.adapter.isEmpty: try show([try await adapter(of: central, context)], context)
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
    case .reset: try await reset(try await adapter(of: central, context), central, context)
    case .phy: try await choosePHYs(of: try await adapter(of: central, context), context)
    }
  }

  private func reset(_ adapter: Adapter, _ central: CentralManager, _ context: CommandContext) async throws {
    let reset = AdapterReset(central, in: context)
    do {
      try await context.showingProgress("resetting \(adapter.id)") { try await reset.resetUSB(adapter) }
      context.remark("the USB device of \(adapter.id) was reset")
    } catch let failure as RadioFailure {
      context.remark("no USB reset: \(failure.reason)")
      try await context.showingProgress("switching \(adapter.id)") { try await reset.powerCycle(adapter) }
      context.remark("\(adapter.id) was switched off and on")
    }
    if common.json { try show(await central.adapters.filter { $0.address == adapter.address }, context) }
  }

  private func choosePHYs(of adapter: Adapter, _ context: CommandContext) async throws {
    let choice: AdapterPHYs.Choice
    do throws(RadioFailure) {
      if context.options.simulate { throw .elsewhere }
      let kernel = try AdapterPHYs(adapter, on: context.loop)
      defer { kernel.close() }
      choice = if let phys { try await kernel.select(phys.phys) } else { try await kernel.read() }
    } catch {
      let verb = phys == nil ? "read" : "set"
      throw CommandError(
        status: .failed, message: "cannot \(verb) the PHYs of \(adapter.id): \(error.reason)",
        hint: error.hint)
    }
    if common.json { return try context.console.write(PHYRecord(adapter: adapter, choice: choice)) }
    let rows = [("selected", choice.selected), ("supported", choice.supported)]
    try context.console.write(
      lines: rows.map { TabSeparated.line([$0.0, $0.1.map(\.rawValue).joined(separator: ",")]) })
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

/// PHYs on the command line: `1m,2m`.
struct PHYList: Sendable, Hashable {
  let phys: [LinkPHY]

  init(parsing text: String) throws {
    phys = try text.split(separator: ",", omittingEmptySubsequences: false).map {
      try LinkPHY(word: String($0), of: "PHY")
    }
  }
}

private struct PHYRecord: Record {
  let adapter: Adapter
  let choice: AdapterPHYs.Choice

  func write(to json: inout JSONWriter) {
    json.field("adapter", adapter.id)
    json.field("address", adapter.address)
    json.field("supported_phys", choice.supported.map(\.rawValue))
    json.field("selected_phys", choice.selected.map(\.rawValue))
  }
}
