// SPDX-License-Identifier: MIT

/// The other end of a link, as far as attributes need it.
package protocol AttributeLink: AnyObject {
  /// A notification or an indication has arrived.
  func received(_ value: [UInt8], from valueHandle: UInt16)
  /// Calls `action` when everything that the peripheral has sent so far has arrived.
  func afterReceived(_ action: @escaping () -> Void)
  /// Its security, as after pairing.
  var security: LinkSecurity { get }
  /// Whether further notifications of a characteristic should wait.
  func isCongested(_ valueHandle: UInt16) -> Bool
  /// How many bytes of a notification arrive; the rest is cut.
  var longestNotification: Int { get }
}
