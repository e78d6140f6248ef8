// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Foundation

/// A remote device that uses services of this machine.
///
/// It is Sendable because its state is locked.
open class CBCentral: CBPeer, @unchecked Sendable {
  private static let longest = 512

  private let mtu = Lock(23)

  /// The maximum length of a notification in bytes; 20 until the central's first request reveals its MTU.
  open var maximumUpdateValueLength: Int { min(mtu.withLock { $0 } - 3, CBCentral.longest) }

  func setMTU(_ number: Int) { mtu.withLock { $0 = max(number, 23) } }

  /// Returns whether both represent the same device.
  open override func isEqual(_ object: Any?) -> Bool { (object as? CBCentral)?.identifier == identifier }

  /// Hashes the identifier.
  open override var hash: Int { identifier.hashValue }

  /// The central as Apple's framework prints it.
  open override var description: String {
    "<\(Self.self): \(objectAddress(of: self)), identifier = \(identifier.uuidString), "
      + "MTU = \(maximumUpdateValueLength)>"
  }
}
