// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Foundation

/// Reports delegates whose class inherits the conformance to a protocol.
///
/// Swift decides at the conforming class which method each requirement calls: its own, or the protocol's
/// default. A subclass can override the former; a method that it adds in place of the latter is never called,
/// whereas Objective-C would find it by its name. Swift cannot find it, so this reports it: when the default
/// takes a call, and the delegate's class is a subclass of the conforming one.
enum InheritedConformance {
  private struct Place: Hashable {
    let type: ObjectIdentifier
    let method: String
  }

  private static let known = Lock<Set<Place>>([])

  /// Reports that a default method took a call in place of a subclass, once for each class and method.
  static func defaultTookCall(
    of delegate: AnyObject, to name: String, _ method: String, conforms: (AnyClass) -> Bool
  ) {
    let type: AnyClass = Swift.type(of: delegate)
    let place = Place(type: ObjectIdentifier(type), method: method)
    guard known.withLock({ $0.insert(place).inserted }) else { return }
    var conforming: AnyClass = type
    while let parent = _getSuperclass(conforming), conforms(parent) { conforming = parent }
    guard conforming != type else { return }
    Misuse.notice(
      "'\(type)' inherits \(name) from '\(conforming)', which has no \(method): a method of this name that a subclass adds is "
        + "not called on Linux. Declare it in '\(conforming)', and override it.")
  }
}
