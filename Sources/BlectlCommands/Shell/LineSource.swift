// SPDX-License-Identifier: MIT

/// What a person has typed at a prompt.
enum TypedLine: Sendable, Equatable {
  case text(String)
  /// Ctrl-C: the line was dropped.
  case interrupted
  /// Ctrl-D, or the end of a file.
  case end
}

/// Where the shell gets its lines from.
///
/// Only tasks on the loop use it.
protocol LineSource: AnyObject, Sendable {
  /// Shows a prompt and waits for a line.
  ///
  /// Ends with `.end` when the task is cancelled.
  func line(prompt: String) async -> TypedLine
  /// Drops the line that is being typed.
  func interrupt()
  /// Changes the prompt that is shown.
  func setPrompt(_ prompt: String)
  /// The terminal has another size.
  func resized()
  /// Prints bytes that end a line, without tearing the line that is being typed.
  func show(_ bytes: [UInt8])
  /// Saves what should outlive the process.
  func close()
}
