// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import DBus
internal import Glibc
internal import TestSupport

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

/// Hands out the bytes of an input as choices; zeros when they are used up.
struct ByteFeeder {
  private var bytes: ArraySlice<UInt8>

  init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes)[...] }

  var isEmpty: Bool { bytes.isEmpty }

  mutating func byte() -> UInt8 { bytes.popFirst() ?? 0 }

  /// A number below a limit that is at most 256.
  mutating func number(below limit: Int) -> Int { Int(byte()) % limit }

  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[number(below: elements.count)] }

  /// Up to so many bytes as they are.
  mutating func raw(_ count: Int) -> [UInt8] {
    let taken = bytes.prefix(count)
    bytes = bytes.dropFirst(count)
    return Array(taken)
  }

  mutating func integer() -> UInt64 { raw(8).reduce(0) { $0 << 8 | UInt64($1) } }

  /// All that is left.
  mutating func rest() -> [UInt8] { raw(bytes.count) }
}

/// A bus that says anything in answer to Hello, and then hangs up.
final class Greeting {
  private let bus: ScriptedBus
  private let loop = EventLoop(name: "greeting")

  init() throws { bus = try ScriptedBus() }

  /// Plays what the bytes encode: a client that has a name got it from the bus, and knows it.
  func play(_ feeder: inout ByteFeeder) {
    let (loop, address) = (loop, bus.address)
    let outcome = Handover<String?>()
    Task(executorPreference: loop) {
      let connection = try? await Connection.open(BusAddress(address), on: loop, timeout: nil)
      let name = await connection?.uniqueName
      await connection?.close()
      outcome.give(name)
    }
    if bus.acceptClient(), answer(&feeder) {
      precondition(outcome.take() == ScriptedBus.clientName)
      bus.hangUp()
    } else {
      bus.hangUp()
      precondition(outcome.take() != "")
    }
  }

  /// Says anything.
  ///
  /// - Returns: whether that was what has to be said, in whatever order, and nothing else.
  private func answer(_ feeder: inout ByteFeeder) -> Bool {
    guard let hello = bus.next() else { return false }
    var (isNamed, isTold, isOdd) = (false, false, false)
    for _ in 0..<6 where !feeder.isEmpty && !(isNamed && isTold && !isOdd) {
      let choice = feeder.number(below: 7)
      if choice > 1 { isOdd = true }
      switch choice {
      case 0:
        bus.send(Message(replyTo: hello) { $0.string(ScriptedBus.clientName) }, from: BusDriver.name)
        isNamed = true
      case 1:
        bus.send(ScriptedBus.nameAcquired(), from: BusDriver.name)
        isTold = true
      case 2: bus.send(Message(replyTo: hello) { $0.value(feeder.anyValue(depth: 0)) }, from: BusDriver.name)
      case 3: bus.send(Message(errorTo: hello, name: "a.b", text: feeder.text()), from: BusDriver.name)
      case 4: bus.send(feeder.delivery())
      case 5:
        var delivery = Delivery(ScriptedBus.nameAcquired(), from: BusDriver.name)
        feeder.distort(&delivery)
        bus.send(delivery)
      default: bus.send(feeder.raw(feeder.number(below: 64)))
      }
    }
    return isNamed && isTold && !isOdd
  }
}
