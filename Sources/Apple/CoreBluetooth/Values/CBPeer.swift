// SPDX-License-Identifier: MIT
public import Foundation

/// The other end of a link.
///
/// It is Sendable because it never changes.
open class CBPeer: NSObject, NSCopying, @unchecked Sendable {
  private let peerIdentifier: UUID

  init(identifier: UUID) { peerIdentifier = identifier }

  /// Identifies the device on this machine; the address cannot be derived from it.
  ///
  /// It is stable as long as the device keeps its address.
  open var identifier: UUID { peerIdentifier }

  /// Returns the same object.
  open func copy(with zone: NSZone? = nil) -> Any { self }
}
