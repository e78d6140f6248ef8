// SPDX-License-Identifier: MIT
internal import JSON

/// A request to a running simulator.
package enum ControlRequest: Sendable, Equatable {
  case command(ControlCommand)
  /// Reports the current state.
  case state

  /// Parses a line: a JSON object in UTF-8.
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

  static let codec: Codec<ControlRequest> = {
    let state = CommandCodec<ControlRequest>.Entry(ReportState.self, "command") { _, _ in
      .state
    } take: { request in
      request == .state ? (ReportState(), CommandPlace()) : nil
    }
    let commands = CommandCodec<ControlCommand>.commands.entries.map { entry in
      entry.map({ ControlRequest.command($0) }) { request in
        if case .command(let command) = request { command } else { nil }
      }
    }
    return CommandCodec(name: "a command", entries: commands + [state]).codec
  }()
}

extension ControlCommand {
  /// Checks that a control channel accepts the command: its numbers, times and bytes.
  ///
  /// - Throws: ``ControlError`` that says what is expected.
  package func validate() throws(ControlError) {
    var json = JSONWriter()
    ControlRequest.codec.write(.command(self), &json)
    _ = try ControlRequest.read(json.bytes)
  }
}

/// The request for the state, written like a command.
private struct ReportState: Command {
  static let word = "state"
  static let about = "Reports the current state."
}
