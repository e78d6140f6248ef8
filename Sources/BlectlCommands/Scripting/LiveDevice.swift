// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import TerminalOutput
internal import ValueStreams

/// A device with a link, on which the steps of a script run.
///
/// Only tasks on the loop use it, one at a time.
final class LiveDevice: ScriptDevice, @unchecked Sendable {
  let session: Session
  let link: Link
  let console: Console
  /// Whether commands leave out their remarks.
  private let isTerse: Bool
  /// Gets what is sent and received.
  let record: @Sendable (StreamEvent) -> Void
  var subscriptions: [ScriptSubscription] = []
  var watches: [String: (watch: ValueWatch, source: ScriptSubscription?)] = [:]
  /// The subscriptions of `expect` itself.
  var ownTasks: [String: Task<Void, Never>] = [:]
  private var lastRead: ReceivedValue?
  /// Called before the link is closed on purpose.
  var willDisconnect: () -> Void = {}

  /// - Parameters:
  ///   - link: the open link.
  ///   - session: the session that opened it.
  ///   - console: what the steps print to.
  ///   - isTerse: whether commands leave out their remarks.
  ///   - record: gets what is sent and received.
  init(
    _ link: Link, _ session: Session, console: Console, isTerse: Bool = true,
    record: @escaping @Sendable (StreamEvent) -> Void = { _ in }
  ) {
    self.link = link
    self.session = session
    self.console = console
    self.isTerse = isTerse
    self.record = record
  }

  /// The session of a step.
  func session(
    _ options: CommonOptions, console: Console, for subscription: ScriptSubscription? = nil
  ) -> Session {
    Session(
      of: session, over: link, options: options, console: console, isTerse: isTerse,
      observer: StepObserver(self, subscription))
  }

  func run(_ command: any DeviceCommand) async throws {
    if let command = command as? SubscribeCommand { return try await begin(command) }
    if command is DisconnectCommand {
      willDisconnect()
      await endSubscriptions()
    }
    try await command.run(in: session(command.common, console: console))
  }

  func value(of command: ReadCommand) async throws -> [UInt8] {
    lastRead = nil
    try await command.run(in: session(command.common, console: console.muted))
    guard let lastRead else { throw CancellationError() }
    return lastRead.bytes
  }

  func sleep(for duration: Duration) async throws { try await session.loop.sleep(for: duration) }

  /// Ends subscriptions, and stops using the link.
  func close() async {
    await endSubscriptions()
    await link.peripheral.release()
  }

  // MARK: What commands send and receive

  func received(_ batch: ValueBatch, _ subscription: ScriptSubscription?) {
    record(.values(batch))
    let origin = batch.origin
    if origin.transport == .read {
      lastRead = batch.values.last
    } else if let subscription, let entry = watches[origin.characteristic.id], entry.source === subscription {
      entry.watch.add(batch.values)
    }
  }

  func wrote(_ written: WrittenRecord) { record(.written(written)) }
}

/// Hands on what the command of a step sends and receives.
final class StepObserver: SessionObserver {
  private let device: LiveDevice
  private let subscription: ScriptSubscription?

  init(_ device: LiveDevice, _ subscription: ScriptSubscription?) {
    self.device = device
    self.subscription = subscription
  }

  func received(_ batch: ValueBatch) { device.received(batch, subscription) }
  func wrote(_ record: WrittenRecord) { device.wrote(record) }
  func subscribed(to characteristics: [GATTCharacteristic]) {
    if let subscription { device.subscribed(subscription, to: characteristics) }
  }
}
