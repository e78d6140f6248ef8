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

  /// What writes a stream: the charts that are wanted, or to the output.
  ///
  /// - Parameters:
  ///   - output: the output, where no chart takes its place.
  ///   - session: the run of the command.
  /// - Returns: the writers.
  /// - Throws: ``CommandError`` where there is no terminal to draw on, or the file cannot be written.
  func writers(or output: ValueOutput, in session: Session) throws(CommandError) -> [any LaneWriter] {
    let (seconds, attoseconds) = window?.limit?.components ?? (0, 0)
    let length = Double(seconds) + Double(attoseconds) / 1e18
    let chart = Chart(format: output.format, window: length > 0 ? length : nil)
    var writers: [any LaneWriter] = []
    if plot {
      guard LiveView.isPossible(on: session.console) else {
        throw .usage(
          "cannot plot: the output is not a terminal that can be drawn on",
          hint: "--plot-svg FILE draws into a file, beside the lines of text")
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
