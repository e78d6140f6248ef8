// SPDX-License-Identifier: MIT
public import Foundation

/// The common part of services, characteristics and descriptors.
///
/// It is Sendable because it never changes.
open class CBAttribute: NSObject, @unchecked Sendable {
  private let identifier: CBUUID

  init(uuid: CBUUID) { identifier = uuid }

  /// The UUID, which tells the kind of attribute.
  open var uuid: CBUUID { identifier }
}
