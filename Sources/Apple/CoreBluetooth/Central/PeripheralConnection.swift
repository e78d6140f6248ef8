// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BlueZClient
internal import Foundation

/// The link of a peripheral object, from the program's request to its end.
///
/// Requests are executed one after the other: a link is closed before the next one is established.
final class PeripheralConnection: Sendable {
  private final class Request: Sendable {
    let reconnects: Bool
    let delay: Duration

    init(reconnects: Bool, delay: Duration) {
      self.reconnects = reconnects
      self.delay = delay
    }
  }

  /// The program's request, and its outcome.
  private struct Wish {
    /// The program's request for a link; nil if it wants none.
    var request: Request?
    var task: Task<Void, Never>?
    var open: OpenLink?
  }

  private struct State {
    weak var peripheral: CBPeripheral?
    var wish = Wish()
    /// The task that must end before the next step begins.
    var last: Task<Void, Never>?
    /// The earliest time of another attempt after a failed one.
    var restEnd: ContinuousClock.Instant?

    /// Removes the request; the caller releases it without holding the lock.
    mutating func takeWish() -> Wish {
      defer { wish = Wish() }
      return wish
    }
  }

  /// The time from a failed attempt to the next one: BlueZ may refuse at once, and a program connect again at
  /// once.
  private static let rest = Duration.seconds(1)

  private let identifier: UUID
  /// The address at which the device was first heard.
  private let address: BluetoothAddress
  private weak let session: CentralSession?
  private let engine: CentralEngine
  private let state = Lock(State())

  init(_ device: KnownDevice, in session: CentralSession) {
    (identifier, address) = (device.identifier, device.address)
    self.session = session
    engine = session.engine
  }

  func begin(for peripheral: CBPeripheral) { state.withLock { $0.peripheral = peripheral } }

  private var peripheral: CBPeripheral? { state.withLock { $0.peripheral } }

  // MARK: Requests

  /// Establishes a link, unless there is one or an attempt; returns whether there is a link already.
  func connect(reconnects: Bool, after delay: Duration) -> Bool {
    state.withLock { state in
      guard state.wish.request == nil else { return state.wish.open != nil }
      let request = Request(reconnects: reconnects, delay: delay)
      let before = state.last
      let task = Task(executorPreference: engine.loop) {
        await before?.value
        await self.keep(request)
      }
      (state.wish.request, state.wish.task, state.last) = (request, task, task)
      return false
    }
  }

  /// Closes the link, unless it is lost anyway; returns whether there was a request.
  @discardableResult
  func end(releases: Bool = true, _ done: @escaping @Sendable () -> Void = {}) -> Bool {
    let ended = state.withLock { state -> Wish? in
      guard state.wish.request != nil else { return nil }
      let (ended, before) = (state.takeWish(), state.last)
      state.last = Task(executorPreference: engine.loop) {
        await ended.open?.cancel()
        await before?.value
        let isLast = self.engine.leave(self.identifier, as: self)
        if releases, isLast, let open = ended.open { await open.device.release() }
        done()
      }
      return ended
    }
    ended?.task?.cancel()
    return ended != nil
  }

  /// True if the program wants a link, and has one or an attempt is under way.
  var isRequested: Bool { state.withLock { $0.wish.request != nil } }

  private func isWanted(_ request: Request) -> Bool { state.withLock { $0.wish.request === request } }

  /// Removes a request that failed, or whose link ended.
  private func drop(_ request: Request) -> Bool {
    state.withLock { $0.wish.request === request ? $0.takeWish() : nil } != nil
  }

  // MARK: The life of a link

  /// Establishes a link, and again whenever it is lost, if the program wants that.
  private func keep(_ request: Request) async {
    do {
      let rest = state.withLock { $0.restEnd }.map { $0 - LoopClock.now } ?? .zero
      let delay = max(request.delay, rest)
      if delay > .zero { try await engine.loop.sleep(for: delay) }
      while isWanted(request) {
        guard let open = try await makeLink(request) else { return }
        let loss = try await waitForLoss(of: open)
        await open.end()
        // The last command may have opened it again.
        if engine.leave(identifier, as: self) { await open.device.release() }
        let isState = await engine.reportsAsState(loss)
        guard isWanted(request) else { return }
        state.exchange(\.wish.open, nil)
        if isState {
          _ = drop(request)
          return
        }
        if !request.reconnects, !drop(request) { return }
        report(loss, of: open, isReconnecting: request.reconnects)
      }
    } catch {
      guard drop(request), let error = error as? BLEError else { return }
      _ = engine.leave(identifier, as: self)
      state.withLock { $0.restEnd = LoopClock.now + Self.rest }
      let code = error.cbCode == .unknown ? .connectionFailed : error.cbCode
      peripheral?.report { peripheral, manager in
        peripheral.linkEnded()
        manager.delegate?.centralManager(manager, didFailToConnect: peripheral, error: CBError(code))
      }
    }
  }

  /// Establishes a link; returns nil if it is no longer wanted.
  private func makeLink(_ request: Request) async throws -> OpenLink? {
    guard let central = engine.central else { throw BLEError.busLost }
    engine.enter(identifier, as: self)
    let info = try await central.reconnect(to: engine.devices[identifier]?.address ?? address)
    let known = engine.devices.note(info)
    let open = OpenLink(info.peripheral, on: engine.loop)
    let mtu = try? await info.peripheral.discoverServices().lazy.flatMap(\.characteristics).first?.mtu
    let isWanted = state.withLock { state in
      guard state.wish.request === request else { return false }
      state.wish.open = open
      return true
    }
    guard isWanted else {
      await open.cancel()
      // It was established just when it was to be closed.
      if engine.leave(identifier, as: self) { await info.peripheral.release() }
      return nil
    }
    peripheral?.report { peripheral, manager in
      _ = peripheral.setName(known.name)
      peripheral.linkOpened(open, mtu: mtu ?? nil)
      manager.delegate?.centralManager(manager, didConnect: peripheral)
    }
    return open
  }

  /// Waits until the link is lost, and returns the reason, if BlueZ reveals it.
  ///
  /// - Throws: ``BLEError`` with code `cancelled`.
  private func waitForLoss(of open: OpenLink) async throws(BLEError) -> BLEError {
    do throws(BLEError) {
      try await open.device.waitUntilDisconnected()
      // The next command would open it again.
      open.pipe.close()
      // Without a link this throws the reason, even one that becomes known only now.
      try await open.device.requireLink()
      return BLEError(.disconnected, during: .keepLink, "the link was lost")
    } catch {
      if error.code == .cancelled || Task.isCancelled { throw error }
      return error
    }
  }

  private func report(_ loss: BLEError, of open: OpenLink, isReconnecting: Bool) {
    let time = CFAbsoluteTimeGetCurrent()
    let code: CBError.Code =
      loss.code == .notFound ? .peripheralDisconnected : loss.isOutage ? .connectionFailed : loss.cbCode
    peripheral?.report { peripheral, manager in
      // A state that was reported meanwhile has ended it.
      guard peripheral.isOpen(open) else { return }
      peripheral.linkEnded()
      manager.delegate?.centralManager(
        manager, didDisconnectPeripheral: peripheral, timestamp: time, isReconnecting: isReconnecting,
        error: CBError(code))
    }
  }

  // MARK: Services

  /// Checks for services that are gone.
  func servicesChanged(of id: BLECentral.Peripheral.ID) {
    let (open, peripheral) = state.withLock { ($0.wish.open, $0.peripheral) }
    guard let open, open.device.id == id, let peripheral else { return }
    open.pipe.add { [weak peripheral] in await peripheral?.compareServices(over: open) }
  }
}
