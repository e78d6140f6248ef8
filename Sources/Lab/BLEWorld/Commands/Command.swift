// SPDX-License-Identifier: MIT
internal import JSON

/// An entry of the table of commands: something that can happen to the simulated world, with its JSON object.
///
/// Its keys are its properties. ``CommandScope`` lists all commands; no other place knows any of them.
protocol Command: Sendable, Equatable {
  /// The value of the key `do`.
  static var word: String { get }
  /// The effect, as the schema describes it.
  static var about: String { get }
  /// The keys besides those for the target.
  static var keys: [Field<Self>] { get }
  /// True if it lasts, so that `faults` of a world file can list it.
  static var isStanding: Bool { get }
  init()
  /// The command that undoes it; nil for a momentary one, which does not take the key `for`.
  var undoing: (any Command)? { get }
  /// The reason that a real adapter cannot carry out the command; nil if it can.
  var limit: String? { get }
}

extension Command {
  static var keys: [Field<Self>] { [] }
  static var isStanding: Bool { false }
  /// True if the key `for` can undo it.
  static var isUndoable: Bool { Self().undoing != nil }
  var undoing: (any Command)? { nil }
  var limit: String? { "only a simulated BlueZ can do that" }
}

/// A command for one kind of target.
package struct ScopedCommand<Scope>: Sendable, Equatable {
  let command: any Command

  init(_ command: any Command) { self.command = command }

  package var undoing: ScopedCommand? { command.undoing.map { ScopedCommand($0) } }

  package static func == (one: ScopedCommand, other: ScopedCommand) -> Bool {
    one.command.equals(other.command)
  }
}

extension Command {
  fileprivate func equals(_ other: any Command) -> Bool { self == other as? Self }
}
