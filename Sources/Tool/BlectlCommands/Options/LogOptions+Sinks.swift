// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BlectlArguments
internal import BlectlSession
internal import Charts
internal import TerminalOutput
internal import ValueLogs
internal import ValueStreams

extension LogOptions {
  /// Opens the logs in order; tables get columns for the keys of the values.
  func sinks(
    for values: ExpectedValues = ExpectedValues(), announcing settings: HomeAssistantSettings? = nil,
    waitsForBroker: Bool? = nil, in context: CommandContext
  ) async throws -> [any OutputSink] {
    try await logs.sinks(
      for: values, rotation: rotation, announcing: settings, waitsForBroker: waitsForBroker, in: context)
  }
}

extension [LogArgument] {
  /// Opens the logs in order; tables get columns for the keys of the values.
  func sinks(
    for values: ExpectedValues, rotation: LogRotation? = nil,
    announcing settings: HomeAssistantSettings? = nil,
    waitsForBroker: Bool? = nil, in context: CommandContext
  ) async throws -> [any OutputSink] {
    var sinks: [any OutputSink] = []
    for log in self {
      if case .broker(let address) = log.kind {
        sinks.append(
          try await BrokerLog.open(
            log, at: address, announcing: settings, waitsForBroker: waitsForBroker, in: context))
        continue
      }
      if log.isOutput {
        sinks.append(LineOutput(context.console, format: InfluxLines()))
        continue
      }
      do throws(OutputError) {
        sinks.append(try log.file(values, rotation, context.console.warn))
      } catch {
        throw CommandError(status: .failed, message: "cannot write \(log.path): \(error)")
      }
    }
    return sinks
  }
}

extension LogArgument {
  /// Opens a file.
  fileprivate func file(
    _ values: ExpectedValues, _ rotation: LogRotation?, _ report: @escaping @Sendable (String) -> Void
  ) throws(OutputError) -> any OutputSink {
    let format: any TextLogFormat
    switch kind {
    case .sqlite:
      return try SQLiteLog(
        path: path, rotation: rotation, recordsAbsence: values.areContinuous, report: report)
    case .csv: format = CSVTable(keys: values.columns, isOfAdvertisements: values.areAdvertised)
    case .influx: format = InfluxLines()
    case .ndjson, .broker: format = EventJSON()
    }
    return try TextLog(
      path: path, format: format, rotation: rotation, recordsAbsence: values.areContinuous, report: report)
  }
}

extension PlotOptions {
  /// The outputs of a stream: a live chart on stdout, or else its `printer`, if there is one; and a chart file.
  func sinks(
    _ printer: (any OutputSink)?, keys: LiveKeys?, format: ValueFormat?, in context: CommandContext
  ) throws(CommandError) -> [any OutputSink] {
    let (seconds, attoseconds) = window?.limit?.components ?? (0, 0)
    let length = Double(seconds) + Double(attoseconds) / 1e18
    func chart(keepsAll: Bool) -> Chart {
      Chart(format: format, window: length > 0 ? length : nil, keepsAll: keepsAll)
    }
    var sinks: [any OutputSink] = []
    if plot {
      guard LiveView.isPossible(on: context.console) else {
        throw .usage(
          "cannot plot: stdout is not a terminal that supports drawing",
          hint: "--plot-svg FILE writes the chart to a file and prints lines as usual")
      }
      sinks.append(TerminalPlot(chart(keepsAll: keys != nil), on: context.console, keys: keys))
    } else if let printer {
      sinks.append(printer)
    }
    guard let svg else { return sinks }
    do throws(OutputError) {
      sinks.append(try SVGPlot(chart(keepsAll: false), path: svg))
    } catch {
      throw CommandError(status: .failed, message: "cannot write \(TerminalSafe.escaped(svg)): \(error)")
    }
    return sinks
  }
}
