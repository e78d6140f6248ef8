// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLECentral

struct AdapterCommand: BlectlCommand {
  static let configuration = CommandConfiguration(
    commandName: "adapter", abstract: "List the radios, show one, switch one on or off.",
    discussion: """
      blectl adapter --simulate
      blectl adapter show -i hci0 --json --simulate
      blectl adapter on --simulate
      """)

  enum Action: String, CaseIterable, ExpressibleByArgument {
    case list
    case show
    case on
    case off
  }

  @Argument(help: "list, show, on or off.")
  var action = Action.list
  @OptionGroup var common: CommonOptions

  func run(in session: Session) async throws {
    let central = try await session.central()
    switch action {
    case .list:
      // Throws when the service is away; that there is no adapter is an answer.
      let adapters = await central.adapters
      if adapters.isEmpty, await central.state != .unsupported { _ = try await central.currentAdapter() }
      try show(adapters, session)
    case .show: try show([try await central.currentAdapter()], session)
    case .on, .off:
      let adapter = try await central.currentAdapter()
      try await central.setPowered(action == .on, adapter: adapter, timeout: session.timeout)
      session.remark("\(adapter.id) is \(action.rawValue)")
    }
  }

  private func show(_ adapters: [Adapter], _ session: Session) throws {
    let console = session.console
    if session.options.json {
      for adapter in adapters { try console.write(AdapterRecord(adapter: adapter)) }
      return
    }
    let rows = adapters.map { [$0.id, $0.address, AdapterCommand.state($0), $0.name] }
    guard console.output.isTerminal else {
      return try console.write(lines: rows.map { TabSeparated.line($0) })
    }
    if rows.isEmpty { return session.remark("no Bluetooth adapter") }
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
