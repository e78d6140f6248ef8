// SPDX-License-Identifier: MIT
internal import ArgumentParser

/// A command that starts without ArgumentParser where its arguments are plain.
///
/// ArgumentParser finds out at each start, by reflection, what a command takes: 14 of the 23 million instructions of a
/// `blectl read`. It stays the definition of the command line, and reads whatever is not plain or not right; what is
/// made here equals what it would have made, which a test holds.
protocol QuickCommand: BlectlCommand {
  /// Makes the command from plain arguments, setting every property.
  ///
  /// - Throws: anything; ArgumentParser then has its turn.
  init(plain arguments: inout PlainArguments) throws
}

extension QuickCommand {
  /// The command as ArgumentParser would have made it, checks and all; nil where that is for it to say.
  fileprivate static func make(_ words: ArraySlice<String>) -> Self? {
    var arguments = PlainArguments(words)
    guard var command = try? Self(plain: &arguments), (try? arguments.rest())?.isEmpty == true,
      (try? command.common.validate()) != nil, (try? command.validate()) != nil
    else { return nil }
    return command
  }
}

/// The commands that are run in loops, by name.
enum QuickCommands {
  /// The command that some arguments name, when it and they are plain.
  static func command(_ arguments: [String]) -> (any BlectlCommand)? {
    guard let name = arguments.first else { return nil }
    let rest = arguments.dropFirst()
    return switch name {
    case "read": ReadCommand.make(rest)
    case "write": WriteCommand.make(rest)
    case "scan": ScanCommand.make(rest)
    case "subscribe", "notify": SubscribeCommand.make(rest)
    case "devices": DevicesCommand.make(rest)
    case "connect": ConnectCommand.make(rest)
    case "disconnect": DisconnectCommand.make(rest)
    default: nil
    }
  }
}
