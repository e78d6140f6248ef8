// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import AsyncIO
internal import BLECentral
internal import BlectlArguments
internal import BlectlScripting
internal import BlectlSession
internal import TerminalOutput
internal import ValueStreams

struct LinkCommand: DeviceCommand {
  static let configuration = CommandConfiguration(
    commandName: "link", _superCommandName: Blectl.name,
    abstract: "Show what the link to a device is like, and change it.",
    discussion: """
      blectl link 'Heart Strap' --simulate
      blectl link 'Heart Strap' --json --simulate
      blectl link 'Heart Strap' --watch --count 2 --simulate

      BlueZ knows the MTU; the rest comes from the kernel and the controller. The PHY, and the parameters of a link that \
      opens or changes meanwhile, need CAP_NET_RAW, as do --interval, --latency, --supervision-timeout and --phy. What is \
      unknown says why.

      The device may refuse what is asked for, or choose something else: what came of it is shown.
      """)

  @OptionGroup var target: TargetOptions
  @Flag(help: "Go on, and print what changes.")
  var watch = false
  @Option(help: ArgumentHelp("With --watch: end after this many reports.", valueName: "n"))
  var count: Int?
  @Option(
    help: ArgumentHelp("Ask for this connection interval, 7.5ms to 4s.", valueName: "duration"),
    transform: DurationArgument.init(parsing:))
  var interval: DurationArgument?
  @Option(help: ArgumentHelp("Let the device miss this many intervals, 0 to 499.", valueName: "n"))
  var latency: Int?
  @Option(
    help: ArgumentHelp(
      "How long the link may be silent before it is lost, 100ms to 32s.", valueName: "duration"),
    transform: DurationArgument.init(parsing:))
  var supervisionTimeout: DurationArgument?
  @Option(
    help: ArgumentHelp("Ask for this PHY: 1m, 2m or coded.", valueName: "phy"),
    completion: .list(LinkPHY.allWords), transform: { try LinkPHY(word: $0, of: "PHY") })
  var phy: LinkPHY?
  @OptionGroup(title: CommonOptions.title) var common: CommonOptions

  /// The interval at which a watched link is checked.
  private static let pause = Duration.seconds(1)

  private var wanted: WantedParameters {
    WantedParameters(
      interval: interval.map { $0.limit ?? .zero }, latency: latency,
      timeout: supervisionTimeout.map { $0.limit ?? .zero })
  }

  var scriptProblem: String? { watch && count == nil ? "'--watch' does not end" : nil }

  func validate() throws {
    if let problem = wanted.problem { throw ValidationError("\(problem).") }
    if count != nil, !watch { throw ValidationError("--count needs --watch.") }
    if let count, count < 1 { throw ValidationError("--count must be at least 1.") }
  }

  func run(in context: CommandContext) async throws {
    let examiner = try await LinkExaminer(target.choice, in: context)
    defer { examiner.close() }
    if !wanted.isEmpty || phy != nil {
      try await context.showingProgress("asking for other parameters") {
        try await examiner.set(wanted, phy, timeout: context.timeout)
      }
    }
    var shown = try await examiner.report()
    try show(shown, in: context)
    if let hint = shown.missing.values.lazy.compactMap(\.hint).first, !common.json {
      context.remark("hint: \(hint)")
    }
    guard watch else { return }
    var left = (count ?? .max) - 1
    while left > 0 {
      try await context.loop.sleep(for: Self.pause)
      let report = try await examiner.report()
      let changes = report.changes(from: shown)
      shown = report
      // With a count, every look counts, so that it ends.
      if count != nil { left -= 1 }
      if changes.isEmpty, count == nil { continue }
      try show(report, only: changes, in: context)
    }
  }

  private func show(
    _ report: LinkReport, only parts: Set<LinkReport.Part>? = nil, in context: CommandContext
  ) throws {
    let console = context.console
    if common.json { return try console.write(report) }
    let rows = report.rows.filter { parts?.contains($0.part) ?? true }
    let time = parts == nil ? [] : [Timestamp.now.local]
    guard console.output.isTerminal else {
      return try console.write(lines: rows.map { TabSeparated.line(time + [$0.part.name, $0.value]) })
    }
    let width = 2 + (LinkReport.Part.allCases.map(\.name.count).max() ?? 0)
    try console.write(
      lines: rows.map { row in
        (time + [DisplayWidth.padded(row.part.name, to: width)]).joined(separator: "  ") + row.value
      })
  }
}
