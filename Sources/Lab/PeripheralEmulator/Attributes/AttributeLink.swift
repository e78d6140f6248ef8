// SPDX-License-Identifier: MIT

/// The other end of a link, as attributes see it.
package protocol AttributeLink: AnyObject {
  func received(_ value: [UInt8], from valueHandle: UInt16)
  /// Calls `action` once everything that the peripheral has sent so far has arrived.
  func afterReceived(_ action: @escaping () -> Void)
  /// The security of the link, which pairing raises.
  var security: LinkSecurity { get }
  /// Returns whether further notifications of a characteristic should wait.
  func isCongested(_ valueHandle: UInt16) -> Bool
  /// The number of bytes of a notification that arrive; the rest is cut.
  var longestNotification: Int { get }
  /// The number of bytes of a notification that certainly arrive, at every central.
  var packetSize: Int { get }
}
