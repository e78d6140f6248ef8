// SPDX-License-Identifier: MIT
internal import JSON

/// A request to a running simulator.
package enum ControlRequest: Sendable, Hashable {
  /// Execute a command.
  case command(ControlCommand)
  /// Report the current state.
  case state

  private static let stateWord = "state"

  /// Parses a line.
  ///
  /// - Parameter line: a JSON object, UTF-8.
  /// - Returns: the request.
  /// - Throws: ``ControlError`` when it is invalid.
  package static func read(_ line: [UInt8]) throws(ControlError) -> ControlRequest {
    let node: JSONNode
    do throws(JSONError) {
      node = try JSONReader.read(line, maximumDepth: 8)
    } catch {
      throw ControlError(error.pointer.description, "column \(error.place.column): \(error.message)")
    }
    do throws(JSONError) {
      return try codec.read(node)
    } catch {
      throw ControlError(error.pointer.description, error.message)
    }
  }

  /// The commands and the request for the state.
  static let codec: Codec<ControlRequest> = {
    let state = ObjectCodec<CommandObject>(
      "command_state", "command state", defaults: CommandObject(stateWord),
      [.required("do", \.word, Codec.words([(stateWord, stateWord)]), "Reports the current state.")])
    let asking = CommandCodec<ControlRequest>.Entry(word: stateWord, object: state) { _ in
      .state
    } take: { request, _ in
      request == .state
    }
    let commands = CommandCodec<ControlCommand>.commands.entries.map { entry in
      CommandCodec<ControlRequest>.Entry(word: entry.word, object: entry.object) { fields in
        entry.make(fields).map { .command($0) }
      } take: { request, fields in
        guard case .command(let command) = request else { return false }
        return entry.take(command, &fields)
      }
    }
    return CommandCodec(name: "a command", entries: commands + [asking]).codec
  }()
}
