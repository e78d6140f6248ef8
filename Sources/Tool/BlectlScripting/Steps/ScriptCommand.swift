// SPDX-License-Identifier: MIT
package import BLEFormats
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
  /// The number of bytes at the beginning of each value that are not read.
  var offset: Int { get }
  var view: ValueView? { get }
}

/// A command that may read standard input, or write bytes to standard output, which only one device can have.
package protocol ByteCommand: ScriptCommand {
  /// The reason that a script that runs on several devices cannot have it; nil if it can.
  var problemOnSeveral: String? { get }
}

/// A command that writes values.
package protocol WritingCommand: ByteCommand {
  var characteristic: CharacteristicArgument { get }
  var descriptor: BluetoothUUID? { get }
  /// The values, one for each write.
  var payloads: [ValueSource.Payload] { get throws }
  /// The characteristic that answers each value.
  var reply: CharacteristicArgument? { get }
}

/// A command that sends or receives a file.
package protocol TransferringCommand: ByteCommand {
  /// The writes of the command, in order.
  var writes: [RecordedWrite] { get throws }
}

/// Bytes that a record must have, since a command writes them.
package struct RecordedWrite {
  package let bytes: [UInt8]
  package let characteristic: CharacteristicArgument
  /// True if they are divided into packets, as the link permits.
  package var arePackets = false
  /// The number of bytes that precede those of each packet.
  package var prefix = 0
  /// True if an earlier run may have sent the first ones.
  package var isRest = false
  /// The characteristic that answers each packet.
  package var answer: CharacteristicArgument?

  package init(_ bytes: [UInt8], to characteristic: CharacteristicArgument) {
    (self.bytes, self.characteristic) = (bytes, characteristic)
  }
}

/// A command that subscribes; without some of its characteristics, it goes on with the others.
package protocol SubscribingCommand: ScriptCommand {
  var characteristics: [CharacteristicArgument] { get set }
}
