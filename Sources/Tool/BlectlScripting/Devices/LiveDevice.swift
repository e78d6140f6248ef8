// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BlectlArguments
internal import BlectlSession
internal import TerminalOutput
internal import ValueStreams

/// A device with a link, on which the steps of a script run.
///
/// Only tasks on the loop use it, one at a time.
final class LiveDevice: ScriptDevice {
  let context: CommandContext
  let link: DeviceConnection
  let console: Console
  /// True if commands leave out their remarks.
  private let isTerse: Bool
  /// Takes the records of what is sent and received.
  let record: @Sendable (StreamEvent) -> Void
  var subscriptions: [ScriptSubscription] = []
  var watches: [String: (watch: ValueWatch, source: ScriptSubscription?)] = [:]
  /// The subscriptions of `expect` itself.
  var ownTasks: [String: Task<Void, Never>] = [:]
  private var lastRead: ReceivedValue?
  /// Called before a step closes the link.
  var willDisconnect: () -> Void = {}

  init(
    _ link: DeviceConnection, _ context: CommandContext, console: Console, isTerse: Bool = true,
    record: @escaping @Sendable (StreamEvent) -> Void = { _ in }
  ) {
    (self.link, self.context, self.console) = (link, context, console)
    (self.isTerse, self.record) = (isTerse, record)
  }

  private func context(
    _ options: GlobalOptions, console: Console, for subscription: ScriptSubscription? = nil
  ) -> CommandContext {
    context.line(
      options, over: link, console: console, isTerse: isTerse,
      observer: StepObserver(self, subscription, on: context.loop))
  }

  func perform(_ step: ScriptStep) async throws {
    switch step {
    case .read(let command): try await run(command, on: console)
    case .write(let command): try await run(command, on: console)
    case .command(let command): try await run(command, on: console)
    case .disconnect(let command):
      willDisconnect()
      await endSubscriptions()
      try await run(command, on: console)
    case .subscribe(let command): try await begin(command)
    case .expect(let expectation): try await expect(expectation)
    case .sleep(let duration): try await context.loop.sleep(for: duration)
    case .unsubscribe(let characteristics): try await unsubscribe(characteristics)
    }
    try checkBackground()
  }

  private func run(_ command: any ScriptCommand, on console: Console) async throws {
    try await command.run(in: context(command.options, console: console))
  }

  func value(of command: any ReadingCommand) async throws -> [UInt8] {
    lastRead = nil
    try await run(command, on: console.muted)
    guard let lastRead else { throw CancellationError() }
    return lastRead.value
  }

  func close() async {
    await endSubscriptions()
    await link.peripheral.release()
  }

  // MARK: What commands send and receive

  func received(_ batch: ValueBatch, _ subscription: ScriptSubscription?) {
    let origin = batch.origin
    if origin.transport == .read {
      record(.values(batch))
      lastRead = batch.values.last
      return
    }
    // Each of several subscriptions to a characteristic brings every value: `expect` and the record take it from one of them.
    let watched = origin.attribute.flatMap { watches[$0.characteristic.id] }
    let entry = watched.flatMap { $0.watch.isExhausted ? nil : $0 }
    guard let entry else { return record(.values(batch)) }
    guard let subscription, entry.source === subscription else { return }
    record(.values(batch))
    entry.watch.add(batch.values)
  }

  func wrote(_ written: WrittenRecord) { record(.written(written)) }

  func waitingValues(of characteristic: GATTCharacteristic) -> ValueWatch? {
    watches[characteristic.id].flatMap { $0.watch.isExhausted ? nil : $0.watch }
  }
}

/// Passes on what the command of a step sends and receives.
final class StepObserver: ScriptObserver {
  private let step: Confined<(device: LiveDevice, subscription: ScriptSubscription?)>

  init(_ device: LiveDevice, _ subscription: ScriptSubscription?, on loop: EventLoop) {
    step = loop.confine((device, subscription))
  }

  func received(_ batch: ValueBatch) { step.value.device.received(batch, step.value.subscription) }
  func wrote(_ record: WrittenRecord) { step.value.device.wrote(record) }
  func subscribed(to characteristics: [GATTCharacteristic]) {
    let (device, subscription) = step.value
    if let subscription { device.subscribed(subscription, to: characteristics) }
  }
  func waitingValues(of characteristic: GATTCharacteristic) -> ValueWatch? {
    step.value.device.waitingValues(of: characteristic)
  }
}

/// A `subscribe` in the background; only tasks on the loop use it.
final class ScriptSubscription {
  let command: any SubscribingCommand
  /// Fulfilled when notifications are on, or the subscription has failed.
  let ready = Promise<Void>()
  var task: Task<Void, Never>?
  var failure: (any Error)?

  init(_ command: any SubscribingCommand) { self.command = command }
}

extension LiveDevice {
  /// Starts a subscription; returns when notifications are on.
  func begin(_ command: any SubscribingCommand) async throws {
    let subscription = ScriptSubscription(command)
    let context = context(command.options, console: console, for: subscription)
    let task = context.loop.spawn { [self] in
      do {
        try await subscription.command.run(in: context)
      } catch {
        if !Task.isCancelled { subscription.failure = error }
      }
      ended(subscription)
      subscription.ready.fulfil(())
    }
    subscription.task = task
    subscriptions.append(subscription)
    let ready = subscription.ready
    await withTaskCancellationHandler {
      await ready.value
    } onCancel: {
      task.cancel()
    }
    try Task.checkCancellation()
    try checkBackground()
  }

  /// From now on, `expect` gets the values of these characteristics, each from one source.
  func subscribed(_ subscription: ScriptSubscription, to characteristics: [GATTCharacteristic]) {
    for characteristic in characteristics {
      let existing = watches[characteristic.id]
      if let existing, !existing.watch.isExhausted, existing.source != nil { continue }
      ownTasks.removeValue(forKey: characteristic.id)?.cancel()
      watches[characteristic.id] = (ValueWatch(), subscription)
    }
    subscription.ready.fulfil(())
  }

  private func ended(_ subscription: ScriptSubscription) {
    for entry in watches.values where entry.source === subscription { entry.watch.end(subscription.failure) }
    if subscription.failure == nil { subscriptions.removeAll { $0 === subscription } }
  }

  /// Throws the failure of a subscription in the background, once.
  private func checkBackground() throws {
    guard let index = subscriptions.firstIndex(where: { $0.failure != nil }) else { return }
    if let failure = subscriptions.remove(at: index).failure { throw failure }
  }

  func unsubscribe(_ characteristics: [CharacteristicArgument]) async throws {
    if characteristics.isEmpty { return await endSubscriptions() }
    let found = try await link.characteristics(characteristics)
    for (wanted, characteristic) in zip(characteristics, found) where watches[characteristic.id] == nil {
      throw CommandError(
        status: .failed, message: "cannot unsubscribe from \(wanted): the script is not subscribed to it")
    }
    let ids = Set(found.map(\.id))
    for id in ids { await endOwnTask(id) }
    for subscription in subscriptions {
      let wanted = subscription.command.characteristics
      let own = try await link.characteristics(wanted)
      guard own.contains(where: { ids.contains($0.id) }) else { continue }
      await end(subscription)
      for characteristic in own { watches[characteristic.id] = nil }
      // The other characteristics of the command stay subscribed.
      var rest = subscription.command
      rest.characteristics = zip(wanted, own).filter { !ids.contains($1.id) }.map(\.0)
      if !rest.characteristics.isEmpty { try await begin(rest) }
    }
    for id in ids { watches[id] = nil }
  }

  func endSubscriptions() async {
    for subscription in subscriptions { await end(subscription) }
    for id in ownTasks.keys { await endOwnTask(id) }
    (subscriptions, watches) = ([], [:])
  }

  private func end(_ subscription: ScriptSubscription) async {
    subscription.task?.cancel()
    await subscription.task?.value
    subscriptions.removeAll { $0 === subscription }
  }

  private func endOwnTask(_ id: String) async {
    guard let task = ownTasks.removeValue(forKey: id) else { return }
    task.cancel()
    await task.value
  }
}
