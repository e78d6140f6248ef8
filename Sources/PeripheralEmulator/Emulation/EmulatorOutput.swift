// SPDX-License-Identifier: MIT

/// Sends values to the centrals.
package struct EmulatorOutput {
  package let send: (_ handle: UInt16, _ value: [UInt8]) -> Void
  /// Whether values of the characteristic with this handle still wait to be sent.
  package let isCongested: (_ handle: UInt16) -> Bool

  package init(
    send: @escaping (_ handle: UInt16, _ value: [UInt8]) -> Void,
    isCongested: @escaping (_ handle: UInt16) -> Bool
  ) {
    self.send = send
    self.isCongested = isCongested
  }
}
