// SPDX-License-Identifier: MIT
internal import BLEPeripheral
internal import TerminalOutput

/// Starts and stops an advertisement, one after the other, however fast it is switched.
///
/// Only tasks on the loop use it.
final class AdvertisingSwitch: @unchecked Sendable {
  private let advertisement: Advertisement
  private let manager: PeripheralManager
  private let session: Session
  private var current: Advertising?
  private var isWanted = false
  private var isBusy = false

  init(_ advertisement: Advertisement, _ manager: PeripheralManager, session: Session) {
    self.advertisement = advertisement
    self.manager = manager
    self.session = session
  }

  /// Starts the advertisement if it is wanted.
  ///
  /// - Throws: why BlueZ does not advertise.
  func start(if isWanted: Bool) async throws {
    self.isWanted = isWanted
    try await settle()
  }

  /// Starts or stops it soon; an error is printed.
  func set(_ isWanted: Bool) {
    self.isWanted = isWanted
    Task(executorPreference: session.loop) {
      do { try await self.settle() } catch { self.session.console.warn("\(error)") }
    }
  }

  private func settle() async throws {
    guard !isBusy else { return }
    isBusy = true
    defer { isBusy = false }
    while isWanted != (current != nil) {
      if let current {
        self.current = nil
        try await manager.stopAdvertising(current, timeout: session.timeout)
      } else {
        current = try await manager.startAdvertising(advertisement, timeout: session.timeout)
      }
    }
  }
}
