// SPDX-License-Identifier: MIT

/// What can happen to a peripheral.
///
/// How often is a number of times, nil for always: until it is taken back.
package enum PeripheralCommand: Sendable, Hashable {
  // MARK: At once

  /// The peripheral closes its link.
  case dropLink
  /// It goes out of reach: its link breaks, nothing is heard of it.
  case vanish
  /// It comes into reach.
  case appear
  /// It is heard with this signal strength in dBm from now on.
  case setRSSI(Int16)
  /// The daemon tells all properties of the device again though none has changed; also of a device it does not have.
  case repeatProperties

  // MARK: From now on

  /// Attempts to connect fail with an error.
  case refuseConnect(times: Int? = nil, BlueZError = .failed("le-connection-abort-by-local"))
  /// Attempts to connect come to nothing, until the daemon gives up.
  case hangConnect(times: Int? = nil)
  /// The peripheral closes each link at so many reads and writes; nil is never.
  case dropAfterOperations(Int?)
  /// The peripheral closes each link when it is so old; nil is never.
  case dropAfterTime(Duration?)
  /// Each packet of its links takes so long; nil is as usual.
  case slowLink(Duration?)
  /// Finding the services takes so much longer than usual.
  case delayServices(Duration)
  /// In which order the daemon tells of the services.
  case orderServices(ServiceOrder)
  /// Its advertisements are lost: it is not heard, and cannot be connected to; a link stays.
  case loseAdverts(Bool = true)
  /// The next reports come without the name.
  case loseNames(times: Int? = nil)
  /// Takes back all that stands, also of its characteristics.
  case heal

  /// Whether it is a state that lasts, as `faults` of a world file may list.
  package var isStanding: Bool {
    switch self {
    case .dropLink, .vanish, .appear, .setRSSI, .repeatProperties, .heal: false
    default: true
    }
  }

  /// What takes it back; nil for what happens once and is over.
  var undoing: PeripheralCommand? {
    switch self {
    case .dropLink, .setRSSI, .repeatProperties, .heal: nil
    case .vanish: .appear
    case .appear: .vanish
    case .refuseConnect: .refuseConnect(times: 0)
    case .hangConnect: .hangConnect(times: 0)
    case .dropAfterOperations: .dropAfterOperations(nil)
    case .dropAfterTime: .dropAfterTime(nil)
    case .slowLink: .slowLink(nil)
    case .delayServices: .delayServices(.zero)
    case .orderServices: .orderServices(.objectsFirst)
    case .loseAdverts(let isOn): .loseAdverts(!isOn)
    case .loseNames: .loseNames(times: 0)
    }
  }
}

/// In which order the daemon tells of the GATT objects and of `ServicesResolved`.
package enum ServiceOrder: Sendable, Hashable {
  /// As the daemon does when nothing else happens: the objects first.
  case objectsFirst
  /// `ServicesResolved` overtakes the objects, as happens when the daemon is busy.
  case resolvedFirst
  /// The objects come this much later than `ServicesResolved`.
  case objectsLate(Duration)
}
