// SPDX-License-Identifier: MIT
internal import JSON

/// What somebody asks of a running simulator.
package enum ControlRequest: Sendable, Hashable {
  /// To carry out a command.
  case command(ControlCommand)
  /// To tell how things stand.
  case state

  private static let stateWord = "state"

  /// The request of a line.
  ///
  /// - Parameter line: a JSON object, UTF-8.
  /// - Returns: the request.
  /// - Throws: ``ControlError`` when it is none.
  package static func read(_ line: [UInt8]) throws(ControlError) -> ControlRequest {
    let node: JSONNode
    do throws(JSONError) {
      node = try JSONReader.read(line, maximumDepth: 8)
    } catch {
      throw ControlError(error.pointer.description, "column \(error.place.column): \(error.message)")
    }
    do throws(JSONError) {
      return try form.read(node)
    } catch {
      throw ControlError(error.pointer.description, error.message)
    }
  }

  /// The commands, and the word that asks for the state.
  static let form: Form<ControlRequest> = {
    let state = Shape<CommandFields>(
      "command_state", "command state", blank: CommandFields(stateWord),
      [.required("do", \.word, Form.words([(stateWord, stateWord)]), "Tells how things stand.")])
    let asking = CommandForm<ControlRequest>.Entry(word: stateWord, shape: state) { _ in
      .state
    } take: { request, _ in
      request == .state
    }
    let commands = CommandForm<ControlCommand>.commands.entries.map { entry in
      CommandForm<ControlRequest>.Entry(word: entry.word, shape: entry.shape) { fields in
        entry.make(fields).map { .command($0) }
      } take: { request, fields in
        guard case .command(let command) = request else { return false }
        return entry.take(command, &fields)
      }
    }
    return CommandForm(name: "a command", entries: commands + [asking]).form
  }()
}
