// SPDX-License-Identifier: MIT
package import BLECentral
internal import BlectlArguments
package import ValueStreams

/// Reads values one after the other, and continues when the device refuses one.
package final class ValueReader {
  private let link: DeviceConnection
  private let context: CommandContext
  private let deviceText: String?
  private let style: ValueStyle
  /// Whether an unanswered request blocks all others.
  private var isLinkBlocked = false

  package init(
    _ link: DeviceConnection, _ context: CommandContext, device deviceText: String?,
    _ style: ValueStyle = ValueStyle(isJSON: false)
  ) {
    self.link = link
    self.context = context
    self.deviceText = deviceText
    self.style = style
  }

  /// Reads a value; throws when no more can be read: link lost, no Bluetooth, interrupted.
  package func read(
    _ characteristic: GATTCharacteristic, _ descriptor: GATTDescriptor? = nil
  ) async throws -> Reading {
    let timeout = context.timeout
    // An unanswered request blocks all others until BlueZ closes the link after 30 s, so the link is
    // replaced, unless other programs use it.
    if isLinkBlocked { try await link.peripheral.renewLink(timeout: timeout) }
    isLinkBlocked = false
    do {
      let bytes = try await context.showingProgress("reading \(descriptor?.uuid ?? characteristic.uuid)") {
        try await link.request {
          if let descriptor { return try await link.peripheral.readValue(for: descriptor, timeout: timeout) }
          return try await link.peripheral.readValue(for: characteristic, timeout: timeout)
        }
      }
      let value = ReceivedValue(bytes, at: .now)
      let origin = ValueOrigin(link.info, characteristic, descriptor, via: .read)
      context.observer?.received(ValueBatch([value], of: origin))
      return style.misfit(value, of: origin).map { .misfit(value, $0) } ?? .value(value)
    } catch let error as BLEError where ValueReader.concernsOneValue(error) {
      var failure = CommandError(error, device: deviceText)
      if descriptor == nil, error.attError == .readNotPermitted,
        !characteristic.properties.isDisjoint(with: [.notify, .indicate])
      {
        failure.hint = "blectl subscribe \(link.info.address) \(characteristic.uuid)"
      }
      isLinkBlocked = error.code == .timedOut
      return .failure(error, failure)
    }
  }

  private static func concernsOneValue(_ error: BLEError) -> Bool {
    error.code != .disconnected && error.code != .cancelled && ExitStatus(error.code) != .unavailable
  }
}
