// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLEPeripheral
internal import BlectlSession
internal import TerminalOutput

/// Starts and stops an advertisement in order, however fast it is switched; used only on the loop.
///
/// While bluetoothd or the adapter is away, the library remembers whether it is wanted.
final class AdvertisingSwitch {
  private var advertisement: Advertisement
  private let manager: PeripheralManager
  private let context: CommandContext
  private var current: Advertising?
  private var isWanted = false
  private var isBusy = false

  init(_ advertisement: Advertisement, _ manager: PeripheralManager, context: CommandContext) {
    self.advertisement = advertisement
    self.manager = manager
    self.context = context
  }

  /// Starts the advertisement if it is wanted; throws if BlueZ does not advertise.
  func start(if isWanted: Bool) async throws {
    self.isWanted = isWanted
    if isWanted {
      isBusy = true
      defer { isBusy = false }
      current = try await manager.startAdvertising(advertisement, timeout: context.timeout)
    }
    await settle()
  }

  /// Starts or stops it soon; prints any error.
  func set(_ isWanted: Bool) {
    self.isWanted = isWanted
    context.loop.spawn { [self] in await settle() }
  }

  /// Changes what is sent, now or when it starts; prints any error.
  func change(to advertisement: Advertisement) {
    self.advertisement = advertisement
    guard let current else { return }
    do {
      try manager.assumeIsolated { try $0.update(current, to: advertisement) }
    } catch {
      context.console.warn("\(error)")
    }
  }

  private func settle() async {
    guard !isBusy else { return }
    isBusy = true
    defer { isBusy = false }
    while isWanted != (current != nil) {
      if let current {
        self.current = nil
        do throws(BLEError) {
          try await manager.stopAdvertising(current, timeout: context.timeout)
        } catch {
          context.console.warn("\(error)")
        }
      } else {
        current = await manager.keepAdvertising(advertisement)
      }
    }
  }
}
