// SPDX-License-Identifier: MIT
public import Foundation

/// What a service, a characteristic and a descriptor have in common.
open class CBAttribute: NSObject, @unchecked Sendable {
  private let identifier: CBUUID

  init(uuid: CBUUID) { identifier = uuid }

  /// The kind of the attribute.
  open var uuid: CBUUID { identifier }
}
