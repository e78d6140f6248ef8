// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import AsyncIO
internal import BLECentral
internal import BlectlArguments
internal import BlectlSession
internal import TerminalOutput
internal import ValueStreams

struct ScanCommand: BlectlCommand {
  static let configuration = CommandConfiguration(
    commandName: "scan", _superCommandName: Blectl.name,
    abstract: "Show the devices that advertise nearby.",
    discussion: """
      blectl scan --simulate
      blectl scan --service heart-rate --rssi -90 --duration 3s --simulate
      blectl scan --name 'MI Band*' --count 1 --json --simulate

      Keys on a terminal: q ends, the arrows or j and k select, s changes the order, / filters by name (Enter accepts, \
      Esc drops), p pauses. Enter shows the selected device, and again its services; Esc goes back. y marks a device: \
      its address is printed at the end. The default --duration does not end a scan whose keys are used.
      """)

  @OptionGroup(title: "Which devices") var wanted: AdvertiserOptions
  @Option(
    help: ArgumentHelp(
      "Only devices whose name matches a pattern such as 'MI Band*'; may be repeated.", valueName: "pattern"))
  var name: [String] = []
  @Option(
    help: ArgumentHelp("Only the device with this address; may be repeated.", valueName: "address"),
    completion: LiveCompletion.address, transform: BluetoothAddress.init(parsing:))
  var address: [BluetoothAddress] = []
  @Option(
    name: .customLong("rssi-at-1m"), parsing: .unconditional,
    help: ArgumentHelp(
      "The strength at one metre, to estimate distances. (default: what the device reports, else -59)",
      valueName: "dbm"))
  var rssiAtOneMetre: Int?
  @Option(
    help: ArgumentHelp(
      "How fast signals weaken, to estimate distances: 2 outdoors, 3 or more indoors.", valueName: "n"))
  var pathLoss = 2.0
  @Flag(help: "Report every advertisement, not only new information.")
  var duplicates = false
  @Flag(help: ScanHelp.passive) var passive = false
  @Option(
    help: ArgumentHelp("How long to scan; 0 is no limit. (default: 10s)", valueName: "duration"),
    transform: DurationArgument.init(parsing:))
  var duration: DurationArgument?
  @Option(
    help: ArgumentHelp(
      "End after this many devices or, with --duplicates, reports.", valueName: "n"))
  var count: Int?
  @Flag(help: ScanHelp.reconnect) var reconnect = false
  @OptionGroup(title: "Logs") var log: LogOptions
  @OptionGroup(title: "Page") var page: WebOptions
  @OptionGroup(title: CommonOptions.title) var common: CommonOptions

  func validate() throws {
    if let rssiAtOneMetre, !(1...127).contains(abs(rssiAtOneMetre)) {
      throw ValidationError("--rssi-at-1m must be between -127 and -1, not \(rssiAtOneMetre).")
    }
    if !(0.5...10).contains(pathLoss) {
      throw ValidationError("--path-loss must be between 0.5 and 10, not \(pathLoss).")
    }
    if let count, count < 1 { throw ValidationError("--count must be at least 1.") }
    try log.requireRoomForAllRecords()
  }

  /// A page is there until Ctrl-C.
  private var time: DurationArgument { duration ?? DurationArgument(page.web == nil ? .seconds(10) : nil) }

  /// The number of names that are remembered for advice.
  private static let mostNames = 256

  /// Remembers the names that are heard and not wanted.
  private func filter(_ others: Lock<Set<String>>) -> ScanFilter {
    let patterns = name.map { ShellPattern($0) }
    let matches: @Sendable (String) -> Bool = { name in
      if patterns.contains(where: { $0.matchesName(name) }) { return true }
      others.withLock { if $0.count < Self.mostNames { $0.insert(name) } }
      return false
    }
    var filter = wanted.filter
    filter.addresses = address
    if !patterns.isEmpty { filter.name = matches }
    return filter
  }

  func run(in context: CommandContext) async throws {
    let printer = showsTable(on: context.console) ? nil : RecordOutput(context.console, isJSON: common.json)
    let outputs = StreamOutputs(
      printer: printer, try await log.sinks(waitsForBroker: reconnect, in: context), buffer: log.buffer,
      page: try page.open(for: Self._commandName, beside: log, in: context), context: context)
    try await ScanHelp.explainingPassive(passive) {
      try await outputs.collect { try await scan(for: outputs, in: context) }
    }
  }

  /// Returns whether it draws a live table instead of printing records.
  private func showsTable(on console: Console) -> Bool { LiveView.isPossible(on: console) && !common.json }

  private func scan(for logs: StreamOutputs, in context: CommandContext) async throws {
    let hosts = try context.perHost()
    let names = Lock<Set<String>>([])
    if showsTable(on: context.console) {
      return try await show(hosts, names, logs, context)
    }
    if hosts.count > 1 { return try await scan(hosts, names, logs, context) }
    let left = Lock(count ?? .max)
    try await report(reception(names, duplicates || page.web != nil, context), left, logs, context)
    remarkOnNames(names, (count ?? .max) - left.withLock(\.self), context)
    remarkIfShort((count ?? .max) - left.withLock(\.self), duplicates ? "reports" : "devices", context)
  }

  /// Shows one live table for all hosts, then throws with the status of the first that failed, if any.
  private func show(
    _ hosts: [(host: String?, context: CommandContext)], _ names: Lock<Set<String>>, _ logs: StreamOutputs,
    _ context: CommandContext
  ) async throws {
    var sources: [LiveScan.Source] = []
    var failed: [CommandError] = []
    // All are opened before the view: ssh may ask for a password, and report an error.
    for (host, own) in hosts {
      do {
        let reception = reception(names, true, own, host)
        try await reception.open()
        sources.append(LiveScan.Source(context: own, reception: reception))
      } catch {
        guard hosts.count > 1, let error = ErrorReport.understood(error, device: nil, on: host) else {
          throw error
        }
        ErrorReport.print(error, verbosity: common.verbose, on: context.console)
        failed.append(error)
      }
    }
    var outcome = LiveScan.Outcome()
    if !sources.isEmpty {
      let limit = LiveScan.Limit(duration: time.limit, isWanted: duration != nil)
      outcome = try await LiveScan(context: context, maximum: count, pathLoss: pathLossModel, logs: logs)
        .run(sources, for: limit)
    }
    if hosts.count > 1 { await close(hosts) }
    for error in outcome.failures { ErrorReport.print(error, verbosity: common.verbose, on: context.console) }
    remarkOnNames(names, outcome.heard, context)
    if outcome.heard == 0 {
      context.remark("no devices")
    } else if !outcome.isEndedByKey {
      remarkIfShort(outcome.heard, "devices", context)
    }
    try requireSuccess(failed + outcome.failures, of: hosts.count)
  }

  /// Leaves all hosts at once: each of them may be silent.
  private func close(_ hosts: [(host: String?, context: CommandContext)]) async {
    await withTaskGroup(of: Void.self) { group in
      for (_, own) in hosts { group.addTask { await own.bus.close() } }
    }
  }

  private func requireSuccess(_ failures: [CommandError], of count: Int) throws(CommandError) {
    guard let first = failures.first else { return }
    throw CommandError(
      status: first.status, message: "cannot scan on \(failures.count) of \(count) hosts")
  }

  /// Scans with several hosts for the same time, then throws with the status of the first failed one.
  private func scan(
    _ hosts: [(host: String?, context: CommandContext)], _ names: Lock<Set<String>>, _ logs: StreamOutputs,
    _ context: CommandContext
  ) async throws {
    let left = Lock(count ?? .max)
    let failures = Lock<[CommandError]>([])
    await withTaskGroup(of: Void.self) { group in
      for (host, own) in hosts {
        group.addTask(executorPreference: context.loop) {
          do {
            try await report(
              reception(names, duplicates || page.web != nil, own, host), left, logs, context)
          } catch {
            guard let error = ErrorReport.understood(error, device: nil, on: host) else { return }
            ErrorReport.print(error, verbosity: common.verbose, on: context.console)
            failures.withLock { $0.append(error) }
          }
        }
      }
      while await group.next() != nil, left.withLock({ $0 > 0 }) {}
      group.cancelAll()
    }
    await close(hosts)
    remarkOnNames(names, (count ?? .max) - left.withLock(\.self), context)
    remarkIfShort((count ?? .max) - left.withLock(\.self), duplicates ? "reports" : "devices", context)
    try requireSuccess(failures.withLock(\.self), of: hosts.count)
  }

  private func reception(
    _ names: Lock<Set<String>>, _ reportsDuplicates: Bool, _ context: CommandContext, _ host: String? = nil
  ) -> Reception {
    Reception(
      filter(names), mode: passive ? .passive : .active, reportsDuplicates: reportsDuplicates,
      reconnector: reconnect ? Reconnector(policy: ReconnectPolicy(), context: context) : nil,
      context: context, host: host)
  }

  /// Reports what is heard until there is enough, or the time is over, which begins with the scan.
  private func report(
    _ reception: Reception, _ left: Lock<Int>, _ outputs: StreamOutputs,
    _ context: CommandContext
  ) async throws {
    guard let limit = time.limit else { return try await report(reception, left, outputs, context) {} }
    let time = CollectingTime(limit, on: context.loop)
    try await time.limit { try await report(reception, left, outputs, context) { time.begin() } }
  }

  private func report(
    _ reception: Reception, _ left: Lock<Int>, _ outputs: StreamOutputs,
    _ context: CommandContext, begin: @escaping @Sendable () -> Void
  ) async throws {
    var lines = ScanLines(
      isJSON: common.json, pathLoss: pathLossModel, host: reception.host, decoder: context.decoder)
    try await reception.run { record in
      begin()
      outputs.report(record, isLogged: reception.isPersistent)
    } _: { events in
      let wanted = left.withLock { left in
        events.prefix { event in
          guard left > 0 else { return false }
          if event.kind == .found || (duplicates && event.kind != .lost) { left -= 1 }
          return true
        }
      }
      for event in wanted {
        if outputs.hasPage, !duplicates, event.kind == .advertised {
          outputs.show(lines.logged(event))
        } else {
          outputs.report(lines.logged(event), as: lines.line(of: event))
        }
      }
      outputs.pace()
      return left.withLock { $0 > 0 }
    }
  }

  /// Reports names that may be meant, if no device was found: patterns match whole names only, in their case.
  private func remarkOnNames(_ others: Lock<Set<String>>, _ found: Int, _ context: CommandContext) {
    guard found == 0 else { return }
    let names = others.withLock(\.self)
    for pattern in name {
      guard let advice = NamePattern(pattern).adviceOnWholeNames(among: names) else { continue }
      context.remark("no whole name matches '\(pattern)'; \(advice)")
    }
  }

  /// The status stays 0, so a remark reports that the time limit ended the scan before the count was reached.
  private func remarkIfShort(_ heard: Int, _ what: String, _ context: CommandContext) {
    guard let count, heard < count, !Task.isCancelled else { return }
    context.remark("\(heard) of \(count) \(what) within --duration \(time)")
  }

  /// The model for estimating distances; the strength may be given without its sign.
  private var pathLossModel: PathLoss {
    PathLoss(rssiAtOneMetre: rssiAtOneMetre.map { -abs($0) }, exponent: pathLoss)
  }
}
