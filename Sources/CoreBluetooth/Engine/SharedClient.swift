// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECore
internal import BlueZClient

/// The client of BlueZ that both roles of a process share, for each bus and adapter.
enum SharedClient {
  private typealias Opening = Task<Result<BlueZClient, BLEError>, Never>

  private static let openings = Lock<[EngineKey: Opening]>([:])

  /// The client of a bus and an adapter: a new one if there is none, if it has ended, or for a central if it has one.
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
    // One that closes may still be there: what it stops must not be what another one has started.
    let hasCentral = await client.hasCentral
    return !(forCentral && hasCentral)
  }
}
