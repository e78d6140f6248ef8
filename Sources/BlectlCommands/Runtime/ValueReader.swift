// SPDX-License-Identifier: MIT
internal import BLECentral

/// Reads values one after the other; one that the device withholds is no reason to leave out the others.
///
/// What failed is kept, and thrown at the end.
final class ValueReader {
  private let link: Link
  private let session: Session
  private let deviceText: String?
  private(set) var failures: [CommandError] = []
  private var attempts = 0
  private var hasMisfits = false
  /// Whether a request was not answered, so that no other will be.
  private var isLinkBlocked = false

  /// Makes a reader over a link.
  init(_ link: Link, _ session: Session, device deviceText: String?) {
    self.link = link
    self.session = session
    self.deviceText = deviceText
  }

  /// The value of a characteristic or of one of its descriptors, or why the device withholds it.
  ///
  /// A request that is not answered keeps every other one waiting, until BlueZ closes the link after 30 s: a new link is
  /// taken, where nobody else uses the old one.
  ///
  /// - Throws: when nothing more can be read: the link was lost, Bluetooth is gone, the user does not want to wait.
  func read(
    _ characteristic: GATTCharacteristic, _ descriptor: GATTDescriptor? = nil
  ) async throws -> Swift.Result<[UInt8], BLEError> {
    let timeout = session.timeout
    if isLinkBlocked { try await link.peripheral.renewLink(timeout: timeout) }
    isLinkBlocked = false
    attempts += 1
    do {
      let value = try await session.showingProgress("reading \(descriptor?.uuid ?? characteristic.uuid)") {
        if let descriptor { return try await link.peripheral.readValue(for: descriptor, timeout: timeout) }
        return try await link.peripheral.readValue(for: characteristic, timeout: timeout)
      }
      return .success(value)
    } catch let error as BLEError where ValueReader.concernsOneValue(error) {
      failures.append(CommandError(error, device: deviceText))
      isLinkBlocked = error.code == .timedOut
      return .failure(error)
    }
  }

  /// Keeps for the end that a value was read, but cannot be shown as it should be.
  func note(misfit: CommandError) {
    failures.append(misfit)
    hasMisfits = true
  }

  /// Ends the reading.
  ///
  /// - Throws: what failed, in one error; it has status 5 when a value timed out.
  func finish() throws {
    guard let first = failures.first else { return }
    var error = first
    error.message =
      "cannot \(hasMisfits ? "print" : "read") \(failures.count) of \(attempts) value\(attempts == 1 ? "" : "s") of \(link.info.address)"
    error.details = []
    let late = failures.first { $0.status == .timedOut }
    (error.status, error.hint) = ((late ?? first).status, (late ?? first).hint)
    error.causes = failures.flatMap(\.causes)
    throw error
  }

  /// Whether an error leaves the other values within reach.
  private static func concernsOneValue(_ error: BLEError) -> Bool {
    error.code != .disconnected && error.code != .cancelled && ExitStatus(error.code) != .unavailable
  }
}
