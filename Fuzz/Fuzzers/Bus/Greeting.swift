// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import DBus
internal import Glibc
internal import TestSupport

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
