// SPDX-License-Identifier: MIT
public import Foundation

/// The other end of a link.
open class CBPeer: NSObject, NSCopying, @unchecked Sendable {
  private let peerIdentifier: UUID

  init(identifier: UUID) { peerIdentifier = identifier }

  /// Stands for the device on this machine; it cannot be turned into an address.
  ///
  /// It stays the same as long as the device keeps its address.
  open var identifier: UUID { peerIdentifier }

  /// Returns the same object.
  open func copy(with zone: NSZone? = nil) -> Any { self }
}
