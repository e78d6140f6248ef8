// SPDX-License-Identifier: MIT

/// Lets a bus say anything: on the socket, in answer to Hello, and in the name of `org.bluez`.
///
/// The first byte chooses which. Nothing may crash or hang, and whatever is believed of it can be shown.
func fuzzBus(_ input: UnsafeRawBufferPointer) {
  var feeder = ByteFeeder(input)
  guard !feeder.isEmpty else { return }
  switch feeder.byte() {
  case 0..<0x40: MessageStream.play(&feeder)
  case 0x40..<0x50: stages.greeting.play(&feeder)
  default: stages.blueZ.play(&feeder)
  }
}

/// What is made once, and serves all inputs.
private struct Stages {
  let blueZ: ScriptedBlueZ
  let greeting: Greeting

  init() {
    do {
      blueZ = try ScriptedBlueZ()
      greeting = try Greeting()
    } catch {
      preconditionFailure("no bus: \(error)")
    }
  }
}

nonisolated(unsafe) private let stages = Stages()
