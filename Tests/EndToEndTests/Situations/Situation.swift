// SPDX-License-Identifier: MIT
internal import Testing

/// Something that can go wrong, and what a person then reads: an error in docs/exit-status-and-errors.md.
struct Situation: Sendable, CustomTestStringConvertible {
  /// Where the command runs.
  enum Place: Sendable {
    /// In a simulated world: the text of its file.
    case world(String)
    /// In the built-in world.
    case builtIn
    /// Beside a simulated bluetoothd without experimental features.
    case unexperimental
    /// On a bus without bluetoothd.
    case emptyBus
    /// On a bus whose policy denies access to bluetoothd.
    case denyingBus
    /// Without a bus.
    case noBus
  }

  /// How the command comes to its end.
  enum Ending: Sendable {
    case itself
    /// By a signal, when it has printed a line.
    case signal(Int32)
  }

  let title: String
  let place: Place
  /// As a user types it.
  let command: String
  let status: Int32
  /// Standard error, line by line; PROCESS stands for the number of a process.
  let errors: [String]
  var ending = Ending.itself
  /// Files that are there.
  var files: [String: String] = [:]
  var environment: [String: String] = [:]

  var testDescription: String { title }

  init(
    _ title: String, in place: Place, _ command: String, _ status: Int32, _ errors: String...,
    ending: Ending = .itself, files: [String: String] = [:], environment: [String: String] = [:]
  ) {
    self.init(
      title, in: place, command, status, errors: errors, ending: ending, files: files,
      environment: environment)
  }

  init(
    _ title: String, in place: Place, _ command: String, _ status: Int32, errors: [String],
    ending: Ending = .itself, files: [String: String] = [:], environment: [String: String] = [:]
  ) {
    self.title = title
    self.place = place
    self.command = command
    self.status = status
    self.errors = errors
    self.ending = ending
    self.files = files
    self.environment = environment
  }

  /// The command as it runs in its place.
  var line: String {
    switch place {
    case .world: command.replacing(/blectl (\w+)/) { "blectl \($0.1) --simulate=world.json" }
    case .builtIn: command.replacing(/blectl (\w+)/) { "blectl \($0.1) --simulate" }
    case .unexperimental, .emptyBus, .denyingBus, .noBus: command
    }
  }

  var hint: String? {
    errors.last?.hasPrefix("hint: ") == true ? String(errors[errors.count - 1].dropFirst(6)) : nil
  }

  /// The message, without the hint and the name of the tool.
  var message: [String] {
    errors.filter { !$0.hasPrefix("hint: ") }.map { line in
      let words = line.hasPrefix("blectl: ") ? line.dropFirst("blectl: ".count) : line[...]
      return String(words.drop { $0 == " " })
    }
  }
}

/// Situations under one heading of docs/exit-status-and-errors.md.
struct SituationGroup: Sendable {
  let title: String
  let situations: [Situation]

  static let all: [SituationGroup] = [
    .unavailable, .notFound, .timedOut, .refused, .pairing, .examined, .files, .usage, .ended,
  ]
}

extension Situation.Place {
  /// A world with one device, Lamp, that has a battery.
  ///
  /// - Parameters:
  ///   - level: further keys of its Battery Level (2a19), which is 57 and can be read.
  ///   - more: further keys of the device.
  ///   - world: further keys of the world.
  /// - Returns: the world.
  static func lamp(
    _ level: String = #""properties": ["read", "notify"]"#, _ more: String = "", world: String = ""
  ) -> Situation.Place {
    func key(_ text: String) -> String { text.isEmpty ? "" : ", " + text }
    return .world(
      """
      {"peripherals": [{"address": "C0:00:00:00:00:01", "name": "Lamp", "services": [{"uuid": "180f",
        "characteristics": [{"uuid": "2a19", "value": "57"\(key(level))}]}]\(key(more))}]\(key(world))}
      """)
  }

  /// That world with a fault of the device, or of its Battery Level.
  static func lamp(fault: String) -> Situation.Place { lamp(world: "", more: #""faults": [{\#(fault)}]"#) }

  static func lamp(levelFault: String) -> Situation.Place {
    lamp(#""properties": ["read", "write", "notify"], "faults": [{\#(levelFault)}]"#)
  }

  /// That world where something happens.
  static func lamp(event: String) -> Situation.Place { lamp(world: #""events": [{\#(event)}]"#) }

  private static func lamp(world: String, more: String) -> Situation.Place {
    lamp(#""properties": ["read", "notify"]"#, more, world: world)
  }
}
