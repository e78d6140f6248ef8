// SPDX-License-Identifier: MIT
package import BlectlArguments
package import BlectlSession

/// The commands of the tool, as scripts and the shell use them.
package protocol ScriptGrammar: Sendable {
  /// The words that can begin a line of a script, without those of the language itself.
  var stepWords: [String] { get }
  /// The commands of the shell that are not about a device.
  var otherWords: [String] { get }
  /// Parses a line, without DEVICE; the options hold unless the line has its own.
  func step(
    _ words: [String], for address: String, inheriting options: GlobalOptions
  ) throws(ScriptProblem) -> ScriptStep
  /// Parses a command that is not about a device; returns nil if the words spell something else.
  func command(
    _ words: [String], inheriting options: GlobalOptions
  ) throws(CommandError) -> (any ScriptCommand)?
  /// The lines of help on a command, or on all.
  func help(on word: String?) throws(CommandError) -> [String]
  /// The options that a line with this command can have.
  func options(of word: String) -> [String]
}

/// The reason why the words of a line are not a step.
package struct ScriptProblem: Error {
  package let reason: String
  /// The index of the word that the reason is about.
  package let word: Int

  package init(reason: String, word: Int = 0) { (self.reason, self.word) = (reason, word) }
}
