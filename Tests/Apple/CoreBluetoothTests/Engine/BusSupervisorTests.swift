// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient
internal import Testing

@testable internal import CoreBluetooth

/// Connecting again after the bus was lost.
@Suite("Supervisor of the bus in CoreBluetooth", .timeLimit(.minutes(1)))
struct BusSupervisorTests {
  /// A role whose bus can be reached or not, attempt by attempt, and is lost at once when it was.
  private final class Role: BusRole {
    typealias Manager = Void

    let reports = Lock<[String]>([])

    static func open(_ key: EngineKey) async throws(BLEError) {
      if key.adapter == "away" { throw .busLost }
    }
    static func events(of manager: Void) async -> AsyncStream<Void> { AsyncStream { $0.finish() } }
    static func close(_ manager: Void) async {}

    func use(_ manager: Void) async { reports.withLock { $0.append("used") } }
    func take(_ event: Void) {}
    func failed(_ error: BLEError) { reports.withLock { $0.append("failed") } }
  }

  /// The first pauses of a supervised role, which is cancelled then, and its reports.
  private func pauses(_ count: Int, adapter: String) async -> (pauses: [Duration], reports: [String]) {
    let pauses = Lock<[Duration]>([])
    let enough = Promise<Void>()
    let role = Role()
    let task = BusSupervisor.start(
      role, at: EngineKey(["blectl.bus": "unix:path=/nonexistent", "blectl.adapter": adapter])
    ) { pause in
      let isEnough = pauses.withLock { pauses in
        pauses.append(pause)
        return pauses.count == count
      }
      guard isEnough else { return }
      enough.fulfil(())
      await Promise<Void>().value(ifCancelled: ())
    }
    await enough.value
    task.cancel()
    await task.value
    return (pauses.withLock { $0 }, role.reports.withLock { $0 })
  }

  @Test("After each of many losses of the bus, a role is connected again after a second")
  func losses() async {
    let (pauses, reports) = await pauses(4, adapter: "hci0")
    #expect(pauses == Array(repeating: .seconds(1), count: 4))
    #expect(reports == Array(repeating: "used", count: 4))
  }

  @Test("The pauses between attempts double while the bus is away, up to 30 s")
  func failures() async {
    let (pauses, reports) = await pauses(7, adapter: "away")
    #expect(pauses == [1, 2, 4, 8, 16, 30, 30].map { .seconds($0) })
    #expect(reports == Array(repeating: "failed", count: 7))
  }

  /// A role whose events fail when its task is cancelled.
  private final class Cancelled: BusRole {
    static let closed = Promise<Void>()
    let isUsed = Promise<Void>()

    static func open(_ key: EngineKey) async throws(BLEError) {}
    static func events(of manager: Void) async -> AsyncThrowingStream<Void, any Error> {
      AsyncThrowingStream {
        await Promise<Void>().value(ifCancelled: ())
        throw CancellationError()
      }
    }
    static func close(_ manager: Void) async { closed.fulfil(()) }

    func use(_ manager: Void) async { isUsed.fulfil(()) }
    func take(_ event: Void) {}
    func failed(_ error: BLEError) {}
  }

  @Test("A role that ends closes its manager, however its events end")
  func cancelled() async {
    let role = Cancelled()
    let task = BusSupervisor.start(role, at: EngineKey(["blectl.bus": "unix:path=/nonexistent"]))
    await role.isUsed.value
    task.cancel()
    await Cancelled.closed.value
    await task.value
  }

  @Test("A peripheral manager is known to its session before the session can report anything")
  func firstReport() {
    let options = ["blectl.bus": "unix:path=/nonexistent"]
    let manager = CBPeripheralManager(delegate: nil, queue: nil, options: options)
    let session = ServingSession(EngineKey(options), queue: nil)
    session.begin(for: manager) { session, _ in
      #expect(session.manager === manager)
      return Task {}
    }
    session.end()
  }
}
