// SPDX-License-Identifier: MIT
package import BLECentral
package import BlectlSession

extension DeviceConnection {
  /// Opens an L2CAP channel of the device within `--timeout`.
  package func openChannel(_ psm: UInt16, in context: CommandContext) async throws -> L2CAPChannel {
    try await context.showingProgress("opening the channel \(psm)") {
      try await peripheral.openChannel(psm: psm, timeout: timeout)
    }
  }

  /// Waits for an answer of the device, which proves that there is a link, and that what has left this machine has
  /// arrived.
  ///
  /// - Returns: false if the device has nothing to read, and so cannot answer.
  @discardableResult
  func confirmChannels() async throws(BLEError) -> Bool {
    do throws(BLEError) {
      try await peripheral.confirmChannels(timeout: timeout)
      return true
    } catch {
      guard error.code == .notSupported else { throw error }
      return false
    }
  }

  /// Finds the reason for the end of a channel: the link was lost, or the device has closed the channel.
  func endOfChannel(_ psm: UInt16) async -> BLEError {
    do {
      try await confirmChannels()
    } catch {
      if error.code == .disconnected || error.isOutage { return error }
    }
    return BLEError(
      .disconnected, during: .useChannel(psm: psm, of: info.lastingAddress), "the channel was closed")
  }
}
