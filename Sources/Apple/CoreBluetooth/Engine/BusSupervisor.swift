// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient

/// A role of this machine that ``BusSupervisor`` connects to BlueZ.
protocol BusRole: AnyObject, Sendable {
  /// The manager of the library below.
  associatedtype Manager: Sendable
  /// The events of a manager until the bus is lost.
  associatedtype Events: AsyncSequence

  static func open(_ key: EngineKey) async throws(BLEError) -> Manager
  static func events(of manager: Manager) async -> Events
  static func close(_ manager: Manager) async

  /// Uses a connected manager in place of the previous one.
  func use(_ manager: Manager) async
  func take(_ event: Events.Element)
  /// Reports that the bus or BlueZ cannot be reached, or that the bus was lost.
  func failed(_ error: BLEError)
}

/// Connects a role to BlueZ, and again after each loss of the bus.
enum BusSupervisor {
  private static let shortestPause = Duration.seconds(1)
  private static let longestPause = Duration.seconds(30)

  /// Supervises a role until the task is cancelled or the role is released; pauses between attempts grow to
  /// 30 s.
  static func start<Role: BusRole>(
    _ role: Role, at key: EngineKey,
    sleep: @escaping @Sendable (Duration) async -> Void = { try? await EventLoop.shared.sleep(for: $0) }
  ) -> Task<Void, Never> {
    Task(executorPreference: EventLoop.shared) { [weak role] in
      var pause = shortestPause
      while !Task.isCancelled {
        do {
          let manager = try await Role.open(key)
          pause = shortestPause
          let events = await Role.events(of: manager)
          guard await role?.use(manager) != nil else { return await Role.close(manager) }
          do {
            for try await event in events { role?.take(event) }
          } catch  where !Task.isCancelled {
            throw error
          } catch {}
          // The role may have ended while it began to use the manager, and not know it.
          if Task.isCancelled { return await Role.close(manager) }
        } catch {
          role?.failed(error as? BLEError ?? .cancelled(.queryService))
        }
        guard role != nil else { return }
        await sleep(pause)
        pause = min(pause * 2, longestPause)
      }
    }
  }
}
