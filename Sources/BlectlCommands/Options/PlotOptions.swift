// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLEMeaning

/// Drawing a stream.
struct PlotOptions: ParsableArguments {
  @Flag(help: "Draw the numbers as a live chart, in place of lines of text.")
  var plot = false

  @Option(
    name: .customLong("plot-svg"),
    help: ArgumentHelp("At the end, write the chart to a file too.", valueName: "file"), completion: .file())
  var svg: String?

  @Option(
    name: .customLong("plot-window"),
    help: ArgumentHelp("Draw the last minutes only: 5m. (default: everything)", valueName: "duration"),
    transform: DurationArgument.init(parsing:))
  var window: DurationArgument?

  func validate() throws {
    if window != nil, !plot, svg == nil {
      throw ValidationError("--plot-window is for --plot and --plot-svg.")
    }
    if svg == "" { throw ValidationError("--plot-svg needs the name of a file.") }
  }

  /// What a stream is written to: lines on the output or a chart in their place, and a chart in a file.
  ///
  /// - Throws: ``CommandError`` without a terminal to draw on, or when the file cannot be written.
  func sinks(_ style: ValueStyle, in session: Session) throws(CommandError) -> [any OutputSink] {
    let (seconds, attoseconds) = window?.limit?.components ?? (0, 0)
    let length = Double(seconds) + Double(attoseconds) / 1e18
    let chart = Chart(format: style.format, window: length > 0 ? length : nil)
    var sinks: [any OutputSink] = []
    if plot {
      guard LiveView.isPossible(on: session.console) else {
        throw .usage(
          "cannot plot: the output is not a terminal that can be drawn on",
          hint: "--plot-svg FILE draws into a file, beside the lines of text")
      }
      sinks.append(TerminalPlot(chart, on: session.console))
    } else {
      sinks.append(ConsoleOutputSink(session.console, style))
    }
    guard let svg else { return sinks }
    do throws(OutputError) {
      sinks.append(try SVGPlot(chart, path: svg))
    } catch {
      throw CommandError(status: .failed, message: "cannot write \(TerminalSafe.escaped(svg)): \(error)")
    }
    return sinks
  }
}
