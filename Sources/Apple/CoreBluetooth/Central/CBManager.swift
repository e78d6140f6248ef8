// SPDX-License-Identifier: MIT
internal import AsyncIO
public import Foundation

/// The common part of both managers: the availability of Bluetooth.
///
/// It is Sendable because its state is locked.
open class CBManager: NSObject, @unchecked Sendable {
  private let current: Lock<CBManagerState>
  /// True if a manager was last denied access.
  private static let isDenied = Lock(false)

  init(state: CBManagerState) { current = Lock(state) }

  /// The availability of Bluetooth, as last reported to the delegate; unknown before that.
  open var state: CBManagerState { current.withLock { $0 } }

  /// The program's permission to use BlueZ by the policy of the bus, if known.
  open class var authorization: CBManagerAuthorization { isDenied.withLock { $0 } ? .denied : .allowedAlways }

  /// The same property, before iOS 13.1.
  @available(*, deprecated, message: "use the class property")
  open var authorization: CBManagerAuthorization { CBManager.authorization }

  func setState(_ state: CBManagerState) {
    current.withLock { $0 = state }
    if state != .unknown { CBManager.isDenied.withLock { $0 = state == .unauthorized } }
  }

  /// Reports misuse if Bluetooth is not on.
  func requirePower() -> Bool {
    if state == .poweredOn { return true }
    Misuse.report("\(self) can only accept this command while in the powered on state")
    return false
  }

  /// The manager as Apple's framework prints it.
  open override var description: String { "<\(Self.self): \(objectAddress(of: self))>" }
}
