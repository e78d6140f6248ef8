// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BlectlArguments
internal import ValueStreams

/// Reads values one after the other, and continues when the device refuses one.
///
/// Keeps the failures, and throws them at the end.
final class ValueReader {
  private let link: Link
  private let session: Session
  private let deviceText: String?
  private(set) var failures: [CommandError] = []
  private var attempts = 0
  private var hasMisfits = false
  /// Whether a request is unanswered, which blocks all others.
  private var isLinkBlocked = false

  /// Makes a reader over a link.
  init(_ link: Link, _ session: Session, device deviceText: String?) {
    self.link = link
    self.session = session
    self.deviceText = deviceText
  }

  /// The value of a characteristic or of one of its descriptors, or why the device refuses it.
  ///
  /// An unanswered request blocks all others until BlueZ closes the link after 30 s, so the link is replaced, unless
  /// other programs use it.
  ///
  /// - Throws: when no more values can be read: the link was lost, Bluetooth became unavailable, the user interrupted it.
  func read(
    _ characteristic: GATTCharacteristic, _ descriptor: GATTDescriptor? = nil
  ) async throws -> Swift.Result<[UInt8], BLEError> {
    let timeout = session.timeout
    if isLinkBlocked { try await link.peripheral.renewLink(timeout: timeout) }
    isLinkBlocked = false
    attempts += 1
    do {
      let value = try await session.showingProgress("reading \(descriptor?.uuid ?? characteristic.uuid)") {
        try await link.request {
          if let descriptor { return try await link.peripheral.readValue(for: descriptor, timeout: timeout) }
          return try await link.peripheral.readValue(for: characteristic, timeout: timeout)
        }
      }
      if let observer = session.observer {
        let origin = ValueOrigin(link.info, characteristic, descriptor, via: .read)
        observer.received(ValueBatch([ReceivedValue(time: .now, bytes: value)], of: origin))
      }
      return .success(value)
    } catch let error as BLEError where ValueReader.concernsOneValue(error) {
      var failure = CommandError(error, device: deviceText)
      if descriptor == nil, error.attError == .readNotPermitted,
        !characteristic.properties.isDisjoint(with: [.notify, .indicate])
      {
        failure.hint = "blectl subscribe \(link.info.address) \(characteristic.uuid)"
      }
      failures.append(failure)
      isLinkBlocked = error.code == .timedOut
      return .failure(error)
    }
  }

  /// Records that a value was read, but does not fit the format.
  func note(misfit: CommandError) {
    failures.append(misfit)
    hasMisfits = true
  }

  /// Finishes reading.
  ///
  /// - Throws: one error for all failures; its status is 5 if a value timed out.
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

  /// Whether other values can still be read after an error.
  private static func concernsOneValue(_ error: BLEError) -> Bool {
    error.code != .disconnected && error.code != .cancelled && ExitStatus(error.code) != .unavailable
  }
}
