// SPDX-License-Identifier: MIT
package import BLECentral
internal import BlectlArguments
internal import BlectlSession
internal import PeripheralEmulator
internal import TerminalOutput
internal import ValueStreams

/// Sets values from lines of standard input: `2a19 u8:40`.
struct ServedInput {
  private let server: PeripheralServer

  init(_ server: PeripheralServer) { self.server = server }

  /// Reads lines until the end of the input, or until cancelled; prints their errors.
  func run() async {
    let reader = PromptInput(on: server.context.loop)
    while let line = await reader.next() {
      guard !line.isEmpty, !line.hasPrefix("#") else { continue }
      guard line.utf8.count < PromptInput.longestLine else {
        server.context.console.warn(
          "cannot set a value: a line has \(PromptInput.longestLine) bytes or more")
        continue
      }
      do throws(ArgumentError) {
        // If the pipe is full, the writer of the lines waits too.
        await server.waitUntilSent(try set(line))
      } catch {
        server.context.console.warn("cannot set a value: \(error)")
      }
    }
  }

  /// - Returns: the handle of its characteristic in the emulated peripheral.
  private func set(_ line: String) throws(ArgumentError) -> UInt16 {
    let words = line.split(maxSplits: 1, whereSeparator: \.isWhitespace).map(String.init)
    let wanted = try CharacteristicArgument(parsing: words[0])
    guard words.count == 2 else {
      throw ArgumentError(line, "has no value; use CHAR VALUE, such as 2a19 u8:40")
    }
    let candidates = server.candidates
    switch wanted.select(from: candidates) {
    case .one(let candidate):
      let text = String(words[1].drop(while: \.isWhitespace))
      let bytes = try ValueSource.typedBytes(
        text, for: AttributeIdentity(found: candidate.uuid, in: candidate.service, of: server.identity))
      guard bytes.count <= ValueSource.longestValue else {
        throw ArgumentError(words[0], "has at most \(ValueSource.longestValue) bytes, not \(bytes.count)")
      }
      server.emulated.setValue(bytes, of: candidate.emulatedHandle)
      return candidate.emulatedHandle
    case .none: throw ArgumentError(words[0], "is no characteristic of \(server.name)")
    case .many(let matches):
      throw ArgumentError(
        words[0], "means several characteristics: " + matches.map(\.label).joined(separator: ", "))
    }
  }
}

package struct ServedCandidate: CharacteristicCandidate {
  package let service: BluetoothUUID
  package let uuid: BluetoothUUID
  package let handle: UInt16
  /// The handle of its value in the emulated peripheral.
  let emulatedHandle: UInt16
}
