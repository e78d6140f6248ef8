// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import ValueStreams

/// A `subscribe` that goes on in the background.
///
/// Only tasks on the loop use it.
final class ScriptSubscription: @unchecked Sendable {
  let command: SubscribeCommand
  /// Fulfilled when notifications are on, or when it has failed.
  let ready = Promise<Void>()
  var task: Task<Void, Never>?
  var failure: (any Error)?

  init(_ command: SubscribeCommand) { self.command = command }
}

extension LiveDevice {
  /// Starts a subscription; returns when notifications are on.
  func begin(_ command: SubscribeCommand) async throws {
    let subscription = ScriptSubscription(command)
    let session = session(command.common, console: console, for: subscription)
    let task = Task(executorPreference: session.loop) {
      do {
        try await subscription.command.run(in: session)
      } catch {
        if !Task.isCancelled { subscription.failure = error }
      }
      self.ended(subscription)
      subscription.ready.fulfil(())
    }
    subscription.task = task
    subscriptions.append(subscription)
    await withTaskCancellationHandler {
      await subscription.ready.value
    } onCancel: {
      task.cancel()
    }
    try Task.checkCancellation()
    try checkBackground()
  }

  /// Values of these characteristics come to `expect` from now on, from one source each.
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

  func checkBackground() throws {
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
      // What the same command has subscribed to as well goes on.
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
