// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BlectlArguments
internal import BlectlSession
internal import Charts
internal import TerminalOutput
internal import ValueStreams

/// A command that prints values as they come, logs them, and draws charts of them.
///
/// Not a group of options: the runtime looks up its type several times, in each start of a command.
protocol StreamingCommand: BlectlCommand {
  var stages: StageOptions { get }
  var exec: ExecOptions { get }
  var count: Int? { get }
  var duration: DurationArgument? { get }
  var log: LogOptions { get }
  var homeAssistant: HomeAssistantOption { get }
  var plotting: PlotOptions { get }
  var page: WebOptions { get }
  /// The devices that the command line names.
  var named: [DeviceArgument] { get }
  /// The characteristics that the page may write to. Only a command with links has such an option.
  var webControl: WebControlOption? { get }
  /// Makes the live view that takes the place of lines on this terminal; nil prints lines.
  func liveView(in context: CommandContext) -> ((LiveKeys?) -> any OutputSink)?
}

extension StreamingCommand {
  var webControl: WebControlOption? { nil }

  func liveView(in context: CommandContext) -> ((LiveKeys?) -> any OutputSink)? { nil }
}

enum StreamHelp {
  static let count = ArgumentHelp("End after this many values.", valueName: "n")
}

/// The destination of the values of a stream, with the limits on their number and time.
struct StreamTarget {
  let outputs: StreamOutputs
  /// The values that its source brings at most.
  let left: RemainingValues
  /// Nil sets no limit.
  let time: CollectingTime?
}

/// The source of the values of a stream.
struct StreamSource: Sendable {
  /// Runs until there are enough, or no more can come.
  let run: @Sendable () async throws -> Void
  /// Throws if something is missing at the end, whatever ended it.
  var check: @Sendable () throws -> Void = {}
}

extension StreamingCommand {
  func validateOutputs() throws {
    try stages.require(among: named)
    if plotting.plot, common.json {
      throw ValidationError("--plot and --json cannot be used together; use --plot with --log FILE.ndjson.")
    }
    try homeAssistant.validate(log)
    let printers: KeyValuePairs = [
      "--plot": plotting.plot, "--json": common.json, "--exec": exec.command != nil,
    ]
    try log.requireOutput(unless: printers)
    if plotting.plot, exec.command != nil {
      throw ValidationError("--plot and --exec cannot be used together.")
    }
    if let count, count < 1 { throw ValidationError("--count must be at least 1.") }
  }

  /// Opens the outputs, runs the source that `make` returns until it ends, the time is over or a key ends it, and closes them.
  ///
  /// Others may use its links, if it has any, as `control` permits.
  func collect(
    _ expected: ExpectedValues, in style: ValueStyle, waitsForBroker: Bool, control: StreamControl? = nil,
    in context: CommandContext, _ make: (StreamTarget) -> StreamSource
  ) async throws {
    // Lines of another output, or of a command, would tear a view.
    let printsNothing = log.takesOutput || exec.command != nil
    let makeView = printsNothing || plotting.plot ? nil : liveView(in: context)
    let keys = (plotting.plot || makeView != nil) && Keyboard.isPossible ? LiveKeys() : nil
    let printer = printsNothing ? nil : makeView?(keys) ?? ConsoleOutputSink(context.console, style)
    let rules = stages.rules(expecting: expected, naming: named)
    var expected = expected
    if let rules { expected.columns = rules.columns(of: expected.columns) }
    let sinks =
      try plotting.sinks(printer, keys: keys, format: expected.format, in: context)
      + (await log.sinks(
        for: expected, announcing: homeAssistant.settings(naming: named, stages),
        waitsForBroker: waitsForBroker, in: context))
    let hook = try await ExecHook(exec.command, in: context).map {
      RecordHook($0, jobs: exec.jobs ?? 1, rules: rules)
    }
    let wanted = RemainingValues(from: count)
    let page = try page.open(
      for: Self._commandName, beside: log, conditions: stages.when.map(\.text),
      control: webControl?.access(to: control?.remote), in: context)
    let isThinned = rules?.thinsOut ?? false
    let outputs = StreamOutputs(
      sinks, buffer: log.buffer, rules: rules, left: isThinned ? wanted : nil, hook: hook, page: page,
      control: control?.remote, context: context)
    let time = duration?.limit.map { CollectingTime($0, on: context.loop) }
    let left = isThinned ? RemainingValues(from: nil) : wanted
    let source = make(StreamTarget(outputs: outputs, left: left, time: time))
    let stream = {
      try await outputs.collect {
        if let time {
          try await time.limit { try await outputs.takeKeys(for: keys, source.run) }
        } else {
          try await outputs.takeKeys(for: keys, source.run)
        }
        try source.check()
      }
    }
    if let control { try await control.run(stream) } else { try await stream() }
  }
}
