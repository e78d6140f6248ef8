// SPDX-License-Identifier: MIT
internal import BLECentral

extension LogOptions {
  /// Opens the logs.
  ///
  /// - Parameters:
  ///   - characteristics: whose decoded values get columns in a table.
  ///   - report: prints a remark, from any thread.
  /// - Returns: the writers, in the order of the options.
  /// - Throws: ``CommandError`` for the first that cannot be written.
  func open(
    for characteristics: [BluetoothUUID], report: @escaping @Sendable (String) -> Void
  ) throws(CommandError) -> [any LaneWriter] {
    var writers: [any LaneWriter] = []
    for log in logs {
      do throws(LogError) {
        writers.append(try open(log, characteristics, report))
      } catch {
        throw CommandError(status: .failed, message: "cannot write \(log.path): \(error.reason)")
      }
    }
    return writers
  }

  private func open(
    _ log: LogArgument, _ characteristics: [BluetoothUUID], _ report: @escaping @Sendable (String) -> Void
  ) throws(LogError) -> any LaneWriter {
    switch log.kind {
    case .ndjson: try TextLog(path: log.path, format: JSONLines(), rotation: rotation, report: report)
    case .csv:
      try TextLog(path: log.path, format: CSVTable(for: characteristics), rotation: rotation, report: report)
    case .sqlite: try SQLiteLog(path: log.path, rotation: rotation, report: report)
    }
  }
}

extension PlotOptions {
  /// The writers of a stream: to the charts that were asked for, and to the output unless a live chart replaces it.
  ///
  /// - Parameters:
  ///   - output: the output.
  ///   - session: the run of the command.
  /// - Returns: the writers.
  /// - Throws: ``CommandError`` when stdout is no terminal to draw on, or the file cannot be written.
  func writers(or output: ValueOutput, in session: Session) throws(CommandError) -> [any LaneWriter] {
    let (seconds, attoseconds) = window?.limit?.components ?? (0, 0)
    let length = Double(seconds) + Double(attoseconds) / 1e18
    let chart = Chart(format: output.format, window: length > 0 ? length : nil)
    var writers: [any LaneWriter] = []
    if plot {
      guard LiveView.isPossible(on: session.console) else {
        throw .usage(
          "cannot plot: stdout is not a terminal that supports drawing",
          hint: "--plot-svg FILE writes the chart to a file and prints lines as usual")
      }
      writers.append(TerminalPlot(chart, on: session.console))
    } else {
      writers.append(ConsoleLaneWriter(output))
    }
    guard let svg else { return writers }
    do throws(LogError) {
      writers.append(try SVGPlot(chart, path: svg))
    } catch {
      throw CommandError(
        status: .failed, message: "cannot write \(TerminalSafe.escaped(svg)): \(error.reason)")
    }
    return writers
  }
}
