// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import DBus
internal import Glibc
internal import Logging
internal import TestSupport

@testable internal import BLECentral

/// A manager on a bus whose every word is the fuzzer's: one connection for all inputs.
///
/// Each input begins with bluetoothd's end and return, so that nothing is left of the one before.
final class ScriptedBlueZ {
  static let name = ":1.1"

  private let bus: ScriptedBus
  private let loop = EventLoop(name: "fuzz")
  private let central: CentralManager
  private let events: CentralEvents

  init() throws {
    bus = try ScriptedBus()
    let (loop, address) = (loop, bus.address)
    let made = Handover<(CentralManager, CentralEvents)>()
    Task(executorPreference: loop) {
      var logger = Logger(label: "fuzz") { _ in Shredder() }
      logger.logLevel = .trace
      let central = try await CentralManager(
        bus: .address(address), adapter: nil, timeout: nil, logger: logger, loop: loop)
      made.give((central, await central.events(capacity: 1024)))
    }
    guard bus.welcome() else { preconditionFailure("no client") }
    ScriptedBlueZ.answerSnapshot(on: bus) { $0.array(of: "{oa{sa{sv}}}") { _ in } }
    (central, events) = made.take()
  }

  /// Plays what some bytes say, and checks what has become of it.
  func play(_ feeder: inout ByteFeeder) {
    bus.send(ownerChanged(from: ScriptedBlueZ.name, to: ""), from: BusDriver.name)
    bus.send(ownerChanged(from: "", to: ScriptedBlueZ.name), from: BusDriver.name)
    let isWhole = feeder.byte() < 0xe0
    ScriptedBlueZ.answerSnapshot(on: bus) {
      isWhole ? feeder.snapshot(&$0) : $0.value(feeder.anyValue(depth: 0))
    }
    for _ in 0..<24 where !feeder.isEmpty { bus.send(feeder.delivery()) }
    settle()
    let checked = Handover<Void>()
    let (central, events, loop) = (central, events, loop)
    Task(executorPreference: loop) {
      await Outlook.check(central, events)
      checked.give(())
    }
    checked.take()
  }

  private func ownerChanged(from old: String, to new: String) -> Message {
    Message(signal: "NameOwnerChanged", of: BusDriver.interface, at: BusDriver.path) {
      $0.string("org.bluez")
      $0.string(old)
      $0.string(new)
    }
  }

  /// Waits for GetManagedObjects, and answers it.
  private static func answerSnapshot(on bus: ScriptedBus, _ body: (inout MessageWriter) -> Void) {
    while let call = bus.next() {
      guard call.member == "GetManagedObjects" else { continue }
      return bus.send(Message(replyTo: call, body), from: name)
    }
    preconditionFailure("the manager has left the bus")
  }

  /// Waits until all that was sent has been taken in.
  private func settle() {
    var ping = Delivery(
      Message(call: "Ping", of: StandardInterface.peer, at: "/", to: ScriptedBus.clientName), from: ":1.99")
    ping.destination = ScriptedBus.clientName
    bus.send(ping)
    while let message = bus.next() {
      if message.destination == ":1.99" { return }
    }
    preconditionFailure("the manager has left the bus")
  }
}

/// Makes every line of the log, and throws it away.
private struct Shredder: LogHandler {
  var logLevel = Logger.Level.trace
  var metadata = Logger.Metadata()

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) { _ = event.message.description }
}

/// Something that one thread makes, and another waits for.
final class Handover<Value>: @unchecked Sendable {
  private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
  private var value: Value?

  init() { sem_init(semaphore, 0, 0) }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  func give(_ value: sending Value) {
    self.value = value
    sem_post(semaphore)
  }

  func take() -> Value {
    while sem_wait(semaphore) != 0 {}
    guard let value else { preconditionFailure("nothing was given") }
    return value
  }
}
