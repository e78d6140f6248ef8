// SPDX-License-Identifier: MIT

/// The update of a device's firmware over the air.
///
/// ```swift
/// let update = FirmwareUpdate(try Firmware(bytes, named: "app_update.bin"))
/// let result = try await update.run(on: peripheral) { print($0.stage, $0.done, $0.total) }
/// print(result.from ?? "?", "→", result.to ?? "?")
/// ```
///
/// An update resumes: after a lost link by itself, and when ``run(on:progress:)`` is called again, if the device has kept
/// what it received. One value can update several devices at once.
public struct FirmwareUpdate: Sendable {
  /// The firmware.
  public let firmware: Firmware
  /// The choices.
  public let options: Options

  /// Makes an update; nothing happens before ``run(on:progress:)``.
  ///
  /// - Parameters:
  ///   - firmware: the firmware.
  ///   - options: the choices.
  public init(_ firmware: Firmware, options: Options = Options()) {
    (self.firmware, self.options) = (firmware, options)
  }

  /// Finds out what an update would do: connects, and reads; changes nothing.
  ///
  /// The link stays open for ``run(on:progress:)``; end it with `Peripheral.release()`.
  ///
  /// - Parameter peripheral: the device; a link that exists is used.
  /// - Returns: what would be done.
  /// - Throws: ``UpdateError``: `unfit`, `notSupported`, `ambiguous`, `needsPairing`, `ble` …
  public func plan(for peripheral: Peripheral) async throws(UpdateError) -> UpdatePlan {
    try await UpdateEngine(self, peripheral) { _ in }.plan()
  }

  /// Updates a device, over as many links as it takes, and proves that the new firmware runs.
  ///
  /// The device may come back at another address in between: see ``UpdateResult/address``. The last link is released.
  ///
  /// - Parameters:
  ///   - peripheral: the device; a link that exists is used.
  ///   - progress: called with each stage, and in a transfer with each answer of the device; on the thread that reads the bus.
  /// - Returns: what was done, and what proves it.
  /// - Throws: ``UpdateError``. A device that keeps what it received goes on from there when this is called again.
  public func run(
    on peripheral: Peripheral, progress: @escaping @Sendable (UpdateProgress) -> Void = { _ in }
  ) async throws(UpdateError) -> UpdateResult {
    try await UpdateEngine(self, peripheral, progress).run()
  }
}
