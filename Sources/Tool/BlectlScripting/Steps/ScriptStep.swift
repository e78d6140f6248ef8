// SPDX-License-Identifier: MIT
package import BlectlArguments

/// The action of a line of a script.
package enum ScriptStep {
  case read(any ReadingCommand)
  case write(any WritingCommand)
  /// The subscription goes on in the background.
  case subscribe(any SubscribingCommand)
  case disconnect(any ScriptCommand)
  case command(any ScriptCommand)
  case expect(Expectation)
  case sleep(Duration)
  /// Ends subscriptions; without characteristics, all.
  case unsubscribe([CharacteristicArgument])

  /// The reason that a script that runs on several devices cannot have it; nil if it can.
  var problemOnSeveral: String? {
    switch self {
    case .write(let command): command.problemOnSeveral
    case .command(let command): (command as? any ByteCommand)?.problemOnSeveral
    case .read, .subscribe, .disconnect, .expect, .sleep, .unsubscribe: nil
    }
  }
}

/// The target of the steps of a script: a device with a link, or the record of one.
protocol ScriptDevice: AnyObject {
  /// Performs a step.
  ///
  /// - Throws: why it has failed, or that something in the background has.
  func perform(_ step: ScriptStep) async throws
  /// The last value that a command reads.
  func value(of command: any ReadingCommand) async throws -> [UInt8]
}
