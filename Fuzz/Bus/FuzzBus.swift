// SPDX-License-Identifier: MIT
internal import FuzzDriver
internal import Glibc

/// Lets a bus say anything: on the socket, in answer to Hello, and in the name of `org.bluez`.
///
/// The first byte chooses which. Nothing may crash or hang, and whatever is believed of it can be shown.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzBus(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var feeder = ByteFeeder(UnsafeBufferPointer(start: start, count: count))
  guard !feeder.isEmpty else { return 0 }
  switch feeder.byte() {
  case 0..<0x40: MessageStream.play(&feeder)
  case 0x40..<0x50: stages.greeting.play(&feeder)
  default: stages.blueZ.play(&feeder)
  }
  return 0
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

@main
enum FuzzBus {
  static func main() { exit(FuzzDriver.run { fuzzBus($0, $1) }) }
}
