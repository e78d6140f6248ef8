// SPDX-License-Identifier: MIT
internal import BLECentral
internal import Charts
internal import TerminalOutput
internal import ValueLogs
internal import ValueStreams

extension LogOptions {
  /// Opens the logs, in the order in which they were given.
  ///
  /// - Parameters:
  ///   - characteristics: whose decoded values get columns in a table.
  ///   - session: the run of the command.
  /// - Returns: the logs as outputs.
  /// - Throws: ``CommandError`` for the first that cannot be written.
  func sinks(
    for characteristics: [CharacteristicArgument], in session: Session
  ) throws(CommandError) -> [any OutputSink] {
    var sinks: [any OutputSink] = []
    let uuids = characteristics.compactMap(\.writtenUUID)
    for log in logs {
      do throws(OutputError) {
        sinks.append(try open(log, uuids, session.console.warn))
      } catch {
        throw CommandError(status: .failed, message: "cannot write \(log.path): \(error)")
      }
    }
    return sinks
  }

  private func open(
    _ log: LogArgument, _ characteristics: [BluetoothUUID], _ report: @escaping @Sendable (String) -> Void
  ) throws(OutputError) -> any OutputSink {
    switch log.kind {
    case .ndjson: try TextLog(path: log.path, format: EventJSON(), rotation: rotation, report: report)
    case .csv:
      try TextLog(path: log.path, format: CSVTable(for: characteristics), rotation: rotation, report: report)
    case .sqlite: try SQLiteLog(path: log.path, rotation: rotation, report: report)
    }
  }
}

extension PlotOptions {
  /// The outputs of a stream: lines or a live chart on stdout, and a chart in a file.
  ///
  /// - Parameters:
  ///   - style: how values are printed.
  ///   - keys: what a person types at the live chart; nil without a keyboard.
  ///   - session: the run of the command.
  /// - Returns: the outputs.
  /// - Throws: ``CommandError`` without a terminal to draw on, or when the file cannot be written.
  func sinks(
    _ style: ValueStyle, keys: PlotKeys?, in session: Session
  ) throws(CommandError) -> [any OutputSink] {
    let (seconds, attoseconds) = window?.limit?.components ?? (0, 0)
    let length = Double(seconds) + Double(attoseconds) / 1e18
    func chart(keepsAll: Bool) -> Chart {
      Chart(format: style.format, window: length > 0 ? length : nil, keepsAll: keepsAll)
    }
    var sinks: [any OutputSink] = []
    if plot {
      guard LiveView.isPossible(on: session.console) else {
        throw .usage(
          "cannot plot: stdout is not a terminal that supports drawing",
          hint: "--plot-svg FILE writes the chart to a file and prints lines as usual")
      }
      sinks.append(TerminalPlot(chart(keepsAll: keys != nil), on: session.console, keys: keys))
    } else {
      sinks.append(ConsoleOutputSink(session.console, style))
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
