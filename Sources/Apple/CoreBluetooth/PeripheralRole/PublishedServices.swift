// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLEPeripheral

/// The services that a program publishes, their characteristics, and the subscribers of these.
///
/// BlueZ resolves inclusion only within an application. Services that inclusion connects are therefore one
/// application, which is replaced when a service joins or leaves them. The methods that change what is published
/// are called one at a time; the objects of the program are retained.
final class PublishedServices: Sendable {
  private struct State {
    var applications: [PublishedApplication] = []
    var characteristics: [PublishedCharacteristic: CBMutableCharacteristic] = [:]
    var tracker = SubscriberTracker()
    /// Counts how many times all services were forgotten.
    var round = 0
    /// The events of characteristics that are being published; nil while none are.
    var early: [PeripheralEvent.Kind]?

    /// Removes applications; returns their objects, which are released without the lock.
    mutating func remove(_ former: [PublishedApplication]) -> Removed {
      var removed = Removed()
      for application in former {
        guard let index = applications.firstIndex(where: { $0.published == application.published }) else {
          continue
        }
        removed.applications.append(applications.remove(at: index))
        for (published, _) in application.characteristics {
          _ = tracker.unsubscribed(published)
          if let object = characteristics.removeValue(forKey: published) {
            removed.characteristics.append(object)
          }
        }
      }
      return removed
    }

    mutating func add(_ application: PublishedApplication) {
      applications.append(application)
      for (published, object) in application.characteristics { characteristics[published] = object }
    }
  }

  /// The services that were published before.
  struct Removed: Sendable {
    fileprivate var applications: [PublishedApplication] = []
    /// The characteristics, which have no subscribers any more.
    fileprivate(set) var characteristics: [CBMutableCharacteristic] = []

    /// Takes the services off the air.
    func end() async {
      // The services of an application are removed with its first one.
      for service in applications.compactMap(\.published.first) { try? await service.manager.remove(service) }
    }
  }

  private let state = Lock(State())

  // MARK: Changes

  /// Publishes a service with those that it includes.
  ///
  /// - Throws: ``BLEError``, with code `invalidDefinition` if it is published already.
  func publish(
    _ definitions: [ServiceDefinition], of service: CBMutableService, with serving: PeripheralManager,
    in session: ServingSession
  ) async throws(BLEError) {
    let applications = state.withLock { $0.applications }
    if applications.contains(where: { $0.isRoot(service) }) {
      throw BLEError(
        .invalidDefinition, during: .publish(service.uuid.value), "the program has published it already")
    }
    let former = applications.filter { application in definitions.contains { application.contains($0) } }
    if former.count == 1, definitions.allSatisfy({ former[0].contains($0) }) {
      // It is on the air already, since another service includes it.
      return addRoot(service, to: former[0])
    }
    let new = PublishedApplication(definitions: definitions, roots: [service])
    let all = former.reversed().reduce(new) { $1.joined(with: $0) }
    let replaced = try await register(all, replacing: former, with: serving, in: session)
    await replaced.end()
  }

  private func addRoot(_ service: CBMutableService, to application: PublishedApplication) {
    state.withLock { state in
      let index = state.applications.firstIndex { $0.published == application.published }
      if let index { state.applications[index].roots.append(service) }
    }
  }

  /// Removes a published service, and those that only it includes.
  func remove(
    _ service: CBMutableService, with serving: PeripheralManager, in session: ServingSession
  ) async {
    let applications = state.withLock { $0.applications }
    guard let former = applications.first(where: { $0.isRoot(service) }) else { return }
    let users = former.roots.filter { root in
      root !== service && former.part(of: root).contains { $0.object === service }
    }
    if let user = users.first {
      return Misuse.report("\(service) cannot be removed before \(user), which includes it")
    }
    for part in former.parts(without: service) {
      do throws(BLEError) {
        _ = try await register(part, replacing: [former], with: serving, in: session)
      } catch  where !error.isOutage {
        let lost = part.roots.map(\.description).joined(separator: ", ")
        Misuse.notice("after the end of \(service), BlueZ does not publish \(lost): \(error)")
      } catch {}
    }
    session.reportNoSubscribers(of: state.withLock { $0.remove([former]) })
    await Removed(applications: [former]).end()
  }

  /// Registers an application in place of former ones, which lose their subscribers; the caller takes them off
  /// the air.
  private func register(
    _ application: PublishedApplication, replacing former: [PublishedApplication],
    with serving: PeripheralManager,
    in session: ServingSession
  ) async throws(BLEError) -> Removed {
    let round = state.withLock { state in
      state.early = []
      return state.round
    }
    defer {
      for event in state.exchange(\.early, nil) ?? [] { session.take(event) }
    }
    var application = application
    application.published = try await serving.add(application.definitions.map(\.local))
    let removed = state.withLock { state -> Removed? in
      guard state.round == round else { return nil }
      let removed = state.remove(former)
      state.add(application)
      return removed
    }
    guard let removed else {
      await Removed(applications: [application]).end()
      throw BLEError.serviceEnded.during(.publish(application.definitions[0].local.uuid))
    }
    for (_, object) in application.characteristics { object.published() }
    // Before the new subscriptions, which end this function.
    session.reportNoSubscribers(of: removed)
    return removed
  }

  /// Removes all; the caller takes them off the air.
  func removeAll() -> Removed {
    state.withLock { state in
      state.round += 1
      return state.remove(state.applications)
    }
  }

  // MARK: Characteristics

  func published(_ characteristic: CBMutableCharacteristic) -> PublishedCharacteristic? {
    state.withLock { state in state.characteristics.first { $0.value === characteristic }?.key }
  }

  func object(_ published: PublishedCharacteristic) -> CBMutableCharacteristic? {
    state.withLock { $0.characteristics[published] }
  }

  // MARK: Subscribers

  /// Returns whether a characteristic is published; if it is just being published, an event is taken afterwards.
  func accepts(_ event: PeripheralEvent.Kind, of characteristic: PublishedCharacteristic) -> Bool {
    state.withLock { state in
      if state.characteristics[characteristic] != nil { return true }
      state.early?.append(event)
      return false
    }
  }

  func track<Result>(_ change: (inout SubscriberTracker) -> Result) -> Result {
    state.withLock { change(&$0.tracker) }
  }
}
