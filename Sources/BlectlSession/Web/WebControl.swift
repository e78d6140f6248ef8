// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
package import BlectlArguments
internal import TerminalOutput
internal import ValueStreams
internal import WebLink

/// What the page may write: to the characteristics that were named, over the links that the command has.
package final class WebControl: Sendable {
  private let allowed: [CharacteristicArgument]
  private let loop: EventLoop
  /// The open links, by address.
  private let links = Lock<[String: DeviceConnection]>([:])

  /// Less than the page waits for an answer.
  private static let timeout = Duration.seconds(12)

  package init(_ allowed: [CharacteristicArgument], in context: CommandContext) {
    (self.allowed, loop) = (allowed, context.loop)
  }

  /// The characteristics, as the page offers them.
  package var words: [String] { allowed.map { "\($0)" } }

  func add(_ link: DeviceConnection) { links.withLock { $0["\(link.info.lastingAddress)"] = link } }

  func remove(_ link: DeviceConnection) {
    // Released without the lock.
    _ = links.withLock { $0.removeValue(forKey: "\(link.info.lastingAddress)") }
  }

  /// Writes a value; `answer` gets why that failed, or nil when the device has confirmed it, on the loop.
  func perform(_ write: WebWrite, _ answer: @escaping @Sendable (String?) -> Void) {
    Task(executorPreference: loop) {
      do {
        try await self.write(write)
        answer(nil)
      } catch {
        answer(ErrorReport.understood(error, device: write.address)?.message ?? "\(error)")
      }
    }
  }

  private func write(_ write: WebWrite) async throws {
    guard let link = links.withLock({ $0[write.address] }) else {
      throw CommandError(
        status: .failed, message: "there is no link to \(TerminalSafe.escaped(write.address))")
    }
    let argument = try CharacteristicArgument(parsing: write.characteristic)
    let found = try await link.characteristics([argument])[0]
    guard allowed.contains(where: { $0.matches(found) }) else {
      throw CommandError(status: .failed, message: "--web-control does not name \(found.uuid)")
    }
    let value = try ValueArgument(parsing: write.value)
    switch value {
    // A client of the page must not read files of this machine.
    case .standardInput, .file: throw ArgumentError(write.value, "is not a value for the page")
    case .bytes, .standard, .fields: break
    }
    let identity = AttributeIdentity(found, of: ProfileSubject(link.info))
    let payloads = try ValueSource.payloads([value], from: nil, for: identity)
    for payload in payloads {
      try await link.request {
        try await link.peripheral.writeValue(
          payload.bytes, for: found, type: found.surestWriteType, timeout: Self.timeout)
      }
    }
  }
}
