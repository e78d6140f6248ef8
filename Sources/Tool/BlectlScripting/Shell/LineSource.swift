// SPDX-License-Identifier: MIT

/// A line of the user, or why there is none.
enum TypedLine: Sendable, Equatable {
  case text(String)
  /// Ctrl-C: the line was dropped.
  case interrupted
  /// Ctrl-D, or the end of a file.
  case end
}

/// The source of the shell's lines, used only by tasks on the loop.
protocol LineSource: AnyObject {
  /// True if a person types the lines.
  var isInteractive: Bool { get }
  /// Shows a prompt and waits for a line; returns `.end` when the task is cancelled.
  func line(prompt: String) async -> TypedLine
  /// Drops the line that is being typed.
  func interrupt()
  /// Changes the prompt that is shown.
  func setPrompt(_ prompt: String)
  /// Redraws after the terminal was resized.
  func resized()
  /// Prints bytes that end a line, without tearing the line that is being typed.
  func show(_ bytes: [UInt8])
  /// Saves what should outlive the process.
  func close()
}
