// SPDX-License-Identifier: MIT
package import BLEMeaning
package import BlectlArguments
package import BlectlSession
package import ValueStreams

/// A command of the tool, parsed from a line.
package protocol ScriptCommand {
  var options: GlobalOptions { get }
  func run(in context: CommandContext) async throws
}

/// A command that reads values.
package protocol ReadingCommand: ScriptCommand {
  var characteristics: [CharacteristicArgument] { get }
  var descriptor: BluetoothUUID? { get }
  var view: ValueView? { get }
}

/// A command that writes values.
package protocol WritingCommand: ScriptCommand {
  var characteristic: CharacteristicArgument { get }
  var descriptor: BluetoothUUID? { get }
  /// The values, one for each write.
  var payloads: [ValueSource.Payload] { get throws }
  /// The characteristic that answers each value.
  var reply: CharacteristicArgument? { get }
}

/// A command that subscribes; without some of its characteristics, it goes on with the others.
package protocol SubscribingCommand: ScriptCommand {
  var characteristics: [CharacteristicArgument] { get set }
}
