// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient

/// The BlueZ client that both roles of a process share, one for each bus and adapter.
enum SharedClient {
  private typealias Opening = Task<Result<BlueZClient, BLEError>, Never>

  private static let openings = Lock<[EngineKey: Opening]>([:])

  /// Returns the client of a bus and an adapter: a new one if there is none, if it ended, or for a second
  /// central.
  ///
  /// - Throws: ``BLEError`` with code `busUnavailable`, `accessDenied` or `timedOut`.
  static func open(_ key: EngineKey, forCentral: Bool) async throws(BLEError) -> BlueZClient {
    let former = openings.withLock { $0[key] }
    if case .success(let client) = await former?.value, await isUsable(client, forCentral: forCentral) {
      return client
    }
    let opening = openings.withLock { openings in
      if let other = openings[key], other != former { return other }
      let opening = Opening(executorPreference: EventLoop.shared) {
        do throws(BLEError) {
          return .success(try await BlueZClient(bus: key.bus, adapter: key.adapter))
        } catch {
          return .failure(error)
        }
      }
      openings[key] = opening
      return opening
    }
    return try await opening.value.get()
  }

  private static func isUsable(_ client: BlueZClient, forCentral: Bool) async -> Bool {
    if let outage = await client.outage, outage.isFinal { return false }
    // A closing one may still exist: it must not stop something that another one started.
    let hasCentral = await client.hasCentral
    return !(forCentral && hasCentral)
  }
}
