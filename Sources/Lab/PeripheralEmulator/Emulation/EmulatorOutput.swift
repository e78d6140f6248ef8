// SPDX-License-Identifier: MIT

/// Sends values to the centrals.
package struct EmulatorOutput {
  package let send: (_ handle: UInt16, _ value: [UInt8]) -> Void
  /// True if values of the characteristic with this handle still wait to be sent.
  package let isCongested: (_ handle: UInt16) -> Bool
  /// True if a central is subscribed, also if that has not been reported yet.
  package let isSubscribed: (_ handle: UInt16) -> Bool

  package init(
    send: @escaping (_ handle: UInt16, _ value: [UInt8]) -> Void,
    isCongested: @escaping (_ handle: UInt16) -> Bool,
    isSubscribed: @escaping (_ handle: UInt16) -> Bool = { _ in false }
  ) {
    self.send = send
    self.isCongested = isCongested
    self.isSubscribed = isSubscribed
  }
}
