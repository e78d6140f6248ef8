// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import AsyncIO
internal import BLECentral
internal import BlectlArguments
internal import BlectlSession
internal import TerminalOutput
internal import ValueStreams

struct MonitorCommand: BlectlCommand {
  static let configuration = CommandConfiguration(
    commandName: "monitor", _superCommandName: Blectl.name,
    abstract: "Show all events: devices, links, changes, values, adapters.",
    discussion: """
      blectl monitor --scan --count 5 --simulate
      blectl monitor --scan --event found --event lost --count 3 --json --simulate
      blectl monitor --scan --count 2 --exec 'echo "$BLECTL_NAME here"' --simulate

      It shows what BlueZ does for all programs, and scans only with --scan. When bluetoothd restarts or the adapter is \
      switched off and on, the scan restarts. With --address or --name, only events of these devices are shown.

      /bin/sh runs the command of --exec once per event, one at a time and in order (more with --jobs). The command gets \
      the JSON record on its standard input, and BLECTL_EVENT, BLECTL_ADDRESS, BLECTL_NAME and BLECTL_ADAPTER in its \
      environment. BLECTL_NAME comes from the air: quote it. Only the output of the command is printed.
      """)

  @OptionGroup(title: "Values and alarms") var exec: ExecOptions
  @Option(
    help: ArgumentHelp("Only events of this kind: connected, found, …; may be repeated.", valueName: "kind"),
    completion: .list(MonitorRecord.Name.allWords),
    transform: { try MonitorRecord.Name(word: $0.replacing("-", with: "_"), of: "event") })
  var event: [MonitorRecord.Name] = []
  @Option(
    help: ArgumentHelp("Only the device with this address; may be repeated.", valueName: "address"),
    completion: LiveCompletion.address, transform: BluetoothAddress.init(parsing:))
  var address: [BluetoothAddress] = []
  @Option(
    help: ArgumentHelp(
      "Only devices whose name matches a pattern such as 'MI Band*'; may be repeated.", valueName: "pattern"))
  var name: [String] = []
  @Flag(help: "Also show changes of only the signal strength.")
  var rssi = false
  @Flag(help: "Also scan, to find devices nearby.")
  var scan = false
  @Option(
    help: ArgumentHelp("How long to watch; 0 is no limit. (default: 0)", valueName: "duration"),
    transform: DurationArgument.init(parsing:))
  var duration = DurationArgument(nil)
  @Option(help: ArgumentHelp("End after this many events.", valueName: "n"))
  var count: Int?
  @Flag(help: ScanHelp.reconnect) var reconnect = false
  @OptionGroup(title: "Outages") var recovering: RecoverOptions
  @OptionGroup(title: "Logs") var log: LogOptions
  @OptionGroup(title: "Logs") var homeAssistant: HomeAssistantOption
  @OptionGroup(title: "Page") var page: WebOptions
  @OptionGroup(title: CommonOptions.title) var common: CommonOptions

  func validate() throws {
    if let count, count < 1 { throw ValidationError("--count must be at least 1.") }
    if recovering.recover, !scan { throw ValidationError("--recover needs --scan.") }
    try log.requireRoomForAllRecords()
    try homeAssistant.validate(log)
  }

  func run(in context: CommandContext) async throws {
    if scan, homeAssistant.isOn {
      context.remark(
        "--home-assistant announces values of characteristics here; those that devices advertise: "
          + "blectl listen --home-assistant")
    }
    let sinks = try await log.sinks(
      announcing: homeAssistant.settings(
        naming: address.map { .address($0) } + name.map { .name(NamePattern($0)) }),
      waitsForBroker: reconnect, in: context)
    let printer = exec.command == nil ? RecordOutput(context.console, isJSON: common.json) : nil
    let page = try page.open(for: Self._commandName, hears: false, beside: log, in: context)
    let outputs = StreamOutputs(printer: printer, sinks, buffer: log.buffer, page: page, context: context)
    try await outputs.collect { try await watch(for: outputs, in: context) }
  }

  private func watch(for outputs: StreamOutputs, in context: CommandContext) async throws {
    let filter = MonitorFilter(
      events: Set(event), addresses: Set(address), names: name.map { NamePattern($0) }, showsStrength: rssi)
    let reconnector = reconnect ? Reconnector(policy: ReconnectPolicy(), context: context) : nil
    if reconnector == nil { _ = try await context.bus.central() }
    let follower = Follower(
      scans: scan, recovery: recovering.recovery(in: context), filter: filter, left: Lock(count ?? .max),
      jobs: exec.jobs ?? 1,
      hook: try await ExecHook(exec.command, in: context), reconnector: reconnector, outputs: outputs,
      context: context)
    try await context.loop.limited(to: duration.limit) { try await follower.run() }
  }

  /// Scans until that ends, and calls `heard` with what arrives; a scan that hears nothing any more ends for the recovery.
  private static func listen(
    _ central: CentralManager, _ recovery: AdapterRecovery?, heard: () -> Void
  ) async throws(BLEError) {
    var scan = central.scan(reportsDuplicates: recovery != nil).makeAsyncIterator()
    while true {
      let limit = recovery.map { LoopClock.now + $0.patience }
      guard let batch = try await scan.nextBatch(until: limit) else { return }
      if !batch.elements.isEmpty {
        heard()
        recovery?.heard()
      } else if limit != nil {
        // Cancelled meanwhile, if it throws.
        try? await recovery?.silent()
        return
      }
    }
  }

  /// Scans, also after an outage of the adapter or bluetoothd; throws if it cannot start, unless `mayFail`, or loses the bus.
  fileprivate static func scan(
    _ central: CentralManager, mayFail: Bool, _ recovery: AdapterRecovery?, _ reconnector: Reconnector
  ) async throws {
    var mayFail = if mayFail { true } else { await central.state == .poweredOn }
    // The events say what is missing.
    var notice = RetryNotice(isMember: true)
    while !Task.isCancelled {
      do {
        try await listen(central, recovery) { notice = RetryNotice(isMember: true) }
      } catch {
        guard mayFail, error.code != .busUnavailable else { throw error }
        try await reconnector.waitToListen(after: error, notice)
      }
      mayFail = true
    }
  }
}

/// Selects the events to show; `missed` is always shown.
private struct MonitorFilter: Sendable {
  let events: Set<MonitorRecord.Name>
  let addresses: Set<BluetoothAddress>
  let names: [NamePattern]
  let showsStrength: Bool

  func allows(_ record: MonitorRecord) -> Bool {
    if record.name == .missed { return true }
    if !events.isEmpty, !events.contains(record.name) { return false }
    if !showsStrength, case .changed(_, let fields) = record.event.kind, fields == [.rssi] { return false }
    if addresses.isEmpty, names.isEmpty { return true }
    guard let device = record.device else { return false }
    if !addresses.isEmpty, !addresses.contains(where: device.has) { return false }
    return names.isEmpty || [device.name, device.reportedName].contains { $0.map { matches($0) } ?? false }
  }

  private func matches(_ name: String) -> Bool {
    names.contains { $0.rank(of: name).map { $0 >= .pattern } ?? false }
  }
}

/// Prints the events, or runs the command for them.
private struct Follower: Sendable {
  /// True to scan as well.
  let scans: Bool
  /// Brings back a failed adapter; nil leaves that to the user.
  let recovery: AdapterRecovery?
  let filter: MonitorFilter
  /// The number of events that are still wanted.
  let left: Lock<Int>
  let jobs: Int
  let hook: ExecHook?
  /// Nil ends with the bus.
  let reconnector: Reconnector?
  let outputs: StreamOutputs
  let context: CommandContext

  func run() async throws {
    guard let hook else { return try await follow(with: nil) }
    let queue = ExecQueue(hook, for: "event", jobs: jobs)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask(executorPreference: context.loop) {
        defer { queue.end() }
        try await follow(with: queue)
      }
      group.addTask(executorPreference: context.loop) { try await queue.runCommands() }
      try await group.waitForAll()
    }
  }

  /// Prints and logs the events, and queues them; the command that runs for them does not delay the log.
  private func follow(with queue: ExecQueue?) async throws {
    recovery?.report(to: { outputs.report(LoggedRecord($0, about: .everything)) })
    let keeper = BusKeeper(reconnector, in: context) { record in
      if reconnector != nil { outputs.report(LoggedRecord(record, about: .everything)) }
    }
    try await keeper.run { central, gap, _ in
      let state = await central.state
      if reconnector == nil {
        if state == .serviceUnavailable { _ = try await central.currentAdapter() }
      } else if let missing = state.missing(adapter: context.options.wantedAdapter) {
        // What happens later is an event.
        RetryNotice().say(missing: missing, in: context)
      }
      let events = await central.events()
      if gap.isFirst, context.console.errors.isTerminal || context.options.verbose > 0 {
        context.remark("watching; press Ctrl-C to stop")
      }
      keeper.began(on: try? await central.currentAdapter().id, &gap)
      var bodies: [@Sendable () async throws -> Void] = [{ try await follow(events, with: queue) }]
      if scans {
        let mayFail = reconnector != nil
        let reconnector = reconnector ?? Reconnector(policy: ReconnectPolicy(), context: context)
        bodies.append { try await MonitorCommand.scan(central, mayFail: mayFail, recovery, reconnector) }
      }
      // The first to end, by its count or an error, ends all.
      try await context.loop.race(bodies)
      return true
    }
  }

  private func follow(_ events: CentralEvents, with queue: ExecQueue?) async throws {
    var events = events.makeAsyncIterator()
    while left.withLock({ $0 > 0 }), let batch = try await events.nextBatch() {
      let records = left.withLock { left in
        let records = wanted(batch.elements).prefix(left)
        left -= records.count
        return records
      }
      for record in records { outputs.report(record.logged, as: line(record)) }
      outputs.pace()
      for record in records { queue?.add(record) }
    }
  }

  private func wanted(_ events: [CentralEvent]) -> [MonitorRecord] {
    events.map { MonitorRecord(event: $0, decoder: context.decoder) }.filter(filter.allows)
  }

  /// The line of text to print; nil if JSON or nothing is printed.
  private func line(_ record: MonitorRecord) -> [UInt8]? {
    if context.options.json || hook != nil { return nil }
    let output = context.console.output
    guard output.isTerminal else {
      return Array((TabSeparated.line([record.event.time.utc] + record.fields) + "\n").utf8)
    }
    let fields = record.fields.filter { !$0.isEmpty }.map { TerminalSafe.escaped($0) }
    let time = output.style.apply(.dim, to: record.event.time.local)
    return Array((([time] + fields).joined(separator: "  ") + "\n").utf8)
  }
}
