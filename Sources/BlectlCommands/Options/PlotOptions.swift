// SPDX-License-Identifier: MIT
internal import ArgumentParser

/// The charts of a stream.
struct PlotOptions: ParsableArguments {
  @Flag(
    help: """
      Draw the numbers as a live chart instead of printing lines. Keys: q ends, p pauses the picture, + and - change how \
      much of the past it shows.
      """)
  var plot = false

  @Option(
    name: .customLong("plot-svg"),
    help: ArgumentHelp("Also write the chart to a file at the end.", valueName: "file"), completion: .file())
  var svg: String?

  @Option(
    name: .customLong("plot-window"),
    help: ArgumentHelp("Draw only this much of the past: 5m. (default: everything)", valueName: "duration"),
    transform: DurationArgument.init(parsing:))
  var window: DurationArgument?

  func validate() throws {
    if window != nil, !plot, svg == nil {
      throw ValidationError("--plot-window needs --plot or --plot-svg.")
    }
    if svg == "" { throw ValidationError("--plot-svg needs a file name.") }
  }
}
