// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLECentral
internal import DBus

struct MonitorCommand: BlectlCommand {
  static let configuration = CommandConfiguration(
    commandName: "monitor",
    abstract: "Show everything that happens: devices found and lost, links, changes, values, radios.",
    discussion: """
      blectl monitor --scan --count 5 --simulate
      blectl monitor --scan --event found --event lost --count 3 --json --simulate
      blectl monitor --scan --count 2 --exec 'echo "$BLECTL_NAME is here"' --simulate

      It watches what BlueZ does, for whichever program, and scans only with --scan. bluetoothd may end and come back \
      meanwhile.

      The command of --exec is run by /bin/sh once an event, one at a time and in order (more with --jobs), with the \
      JSON record on its standard input, and BLECTL_EVENT, BLECTL_ADDRESS, BLECTL_NAME and BLECTL_ADAPTER in its \
      environment. BLECTL_NAME comes from the air: put it in quotes. Nothing is printed then but what the command prints.
      """)

  @Option(
    name: .customLong("exec"),
    help: ArgumentHelp("Run this shell command for each event instead of printing it.", valueName: "cmd"))
  var command: String?
  @Option(help: ArgumentHelp("How many commands of --exec may run at once. (default: 1)", valueName: "n"))
  var jobs: Int?
  @Option(
    help: ArgumentHelp("Only events of this kind: connected, found, …; may be repeated.", valueName: "kind"),
    completion: .list(MonitorRecord.Name.allCases.map(\.rawValue)),
    transform: MonitorCommand.name(parsing:))
  var event: [MonitorRecord.Name] = []
  @Flag(help: "Scan meanwhile, so that devices nearby are found.")
  var scan = false
  @Option(
    help: ArgumentHelp("How long to watch; 0 is without end. (default: 0)", valueName: "duration"),
    transform: DurationArgument.init(parsing:))
  var duration = DurationArgument(nil)
  @Option(help: ArgumentHelp("End after this many events.", valueName: "n"))
  var count: Int?
  @OptionGroup var common: CommonOptions

  private static func name(parsing text: String) throws -> MonitorRecord.Name {
    if let name = MonitorRecord.Name(rawValue: text.replacing("-", with: "_")) { return name }
    let names = MonitorRecord.Name.allCases.map(\.rawValue)
    throw ArgumentError(text, "is not a kind of event", words: names)
  }

  func validate() throws {
    if let count, count < 1 { throw ValidationError("--count begins at 1.") }
    if let jobs, !(1...64).contains(jobs) { throw ValidationError("--jobs goes from 1 to 64, not \(jobs).") }
    if jobs != nil, command == nil { throw ValidationError("--jobs is for the commands of --exec.") }
  }

  func run(in session: Session) async throws {
    let central = try await session.central()
    if await central.state == .serviceUnavailable { _ = try await central.currentAdapter() }
    let events = await central.events()
    session.remark("watching; Ctrl-C ends")
    let follower = Follower(
      events: events, wanted: Set(event), count: count ?? .max, jobs: jobs ?? 1,
      hook: try await hook(session),
      session: session)
    let (scan, loop) = (scan, session.loop)
    try await session.limited(to: duration.limit) {
      try await withThrowingTaskGroup(of: Void.self) { group in
        if scan { group.addTask(executorPreference: loop) { for try await _ in central.scan() {} } }
        group.addTask(executorPreference: loop) { try await follower.run() }
        defer { group.cancelAll() }
        try await group.next()  // the first to end, by its count or its error, ends all
      }
    }
  }

  private func hook(_ session: Session) async throws -> EventHook? {
    guard let command else { return nil }
    let isElsewhere = common.simulate || common.bus != nil
    let address = isElsewhere ? try await session.busAddress().text : nil
    return EventHook(command: command, busAddress: address, session: session)
  }
}

/// Takes the events, and prints them or runs the command for them.
private struct Follower: Sendable {
  let events: CentralEvents
  let wanted: Set<MonitorRecord.Name>
  let count: Int
  let jobs: Int
  let hook: EventHook?
  let session: Session

  func run() async throws {
    let loop = session.loop
    try await withThrowingTaskGroup(of: Void.self) { group in
      var (left, running) = (count, 0)
      while left > 0, let records = try await next(left) {
        left -= records.count
        guard let hook else {
          try write(records)
          continue
        }
        for record in records {
          if running == jobs {
            try await group.next()
            running -= 1
          }
          running += 1
          group.addTask(executorPreference: loop) { try await hook.run(record) }
        }
      }
      try await group.waitForAll()
    }
  }

  /// The events that wait, as far as they are wanted; that some were missed is always told.
  private func next(_ limit: Int) async throws -> [MonitorRecord]? {
    guard let batch = try await events.nextBatch() else { return nil }
    let records = batch.map { MonitorRecord(event: $0) }.filter {
      wanted.isEmpty || wanted.contains($0.name) || $0.name == .missed
    }
    return Array(records.prefix(limit))
  }

  private func write(_ records: [MonitorRecord]) throws {
    let console = session.console
    for record in records {
      if session.options.json {
        try console.write(record)
      } else if console.output.isTerminal {
        let fields = record.fields.filter { !$0.isEmpty }.map { TerminalSafe.escaped($0) }
        let time = console.output.style.apply(.dim, to: record.event.time.local)
        try console.write(line: ([time] + fields).joined(separator: "  "))
      } else {
        try console.write(line: TabSeparated.line([record.event.time.utc] + record.fields))
      }
    }
  }
}
