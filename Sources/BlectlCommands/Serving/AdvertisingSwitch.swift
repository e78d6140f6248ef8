// SPDX-License-Identifier: MIT
internal import BLEPeripheral
internal import TerminalOutput

/// Starts and stops an advertisement, one after the other, however fast it is switched.
///
/// While bluetoothd or the adapter is away, the library remembers that it is wanted.
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
    if isWanted {
      isBusy = true
      defer { isBusy = false }
      current = try await manager.startAdvertising(advertisement, timeout: session.timeout)
    }
    await settle()
  }

  /// Starts or stops it soon; an error is printed.
  func set(_ isWanted: Bool) {
    self.isWanted = isWanted
    Task(executorPreference: session.loop) { await self.settle() }
  }

  private func settle() async {
    guard !isBusy else { return }
    isBusy = true
    defer { isBusy = false }
    while isWanted != (current != nil) {
      if let current {
        self.current = nil
        do throws(BLEError) {
          try await manager.stopAdvertising(current, timeout: session.timeout)
        } catch {
          session.console.warn("\(error)")
        }
      } else {
        current = await manager.keepAdvertising(advertisement)
      }
    }
  }
}
