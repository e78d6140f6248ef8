// SPDX-License-Identifier: MIT

/// Something that happens to a peripheral.
///
/// `times` is nil for a fault that lasts until it is undone.
package enum PeripheralAction: Sendable, Hashable {
  // MARK: Momentary

  /// The peripheral closes its link.
  case dropLink
  /// It goes out of range: its link breaks and its advertisements stop.
  case vanish
  /// It comes into range.
  case appear
  /// Its average signal strength in dBm changes.
  case setRSSI(Int16)
  /// It loses its bonds; its link stays.
  case forgetBonds
  /// Its user types a passkey, 0 to 999999: at once if it waits for one, else when it next asks.
  case typePasskey(UInt32)
  /// It asks for an encrypted link.
  case askForSecurity
  /// The daemon signals all properties of the device again although none has changed, even of an unknown device.
  case repeatProperties

  // MARK: Lasting

  /// Attempts to connect fail with an error.
  case refuseConnect(times: Int? = nil, BlueZError = .failed("le-connection-abort-by-local"))
  /// Attempts to connect hang until the daemon gives up.
  case hangConnect(times: Int? = nil)
  /// It closes each link after a number of reads and writes; nil is never.
  case dropAfterOperations(Int?)
  /// It closes each link after some time; nil is never.
  case dropAfterTime(Duration?)
  /// The time per packet of its links; nil is the default.
  case slowLink(Duration?)
  /// Service discovery takes longer.
  case delayServices(Duration)
  /// The order in which the daemon exports the services.
  case orderServices(ServiceOrder)
  /// Its advertisements are lost: it cannot be found or connected to. An open link stays.
  case loseAdverts(Bool = true)
  /// Its advertisements arrive without the name.
  case loseNames(times: Int? = nil)
  /// All its faults end, including those of its characteristics.
  case heal

  /// Whether it lasts, so that `faults` of a world file can list it.
  package var isStanding: Bool {
    switch self {
    case .dropLink, .vanish, .appear, .setRSSI, .repeatProperties, .heal, .forgetBonds, .typePasskey,
      .askForSecurity:
      false
    default: true
    }
  }

  /// The action that undoes it; nil for a momentary action.
  package var undoing: PeripheralAction? {
    switch self {
    case .dropLink, .setRSSI, .repeatProperties, .heal, .forgetBonds, .typePasskey, .askForSecurity: nil
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

/// The order in which the daemon exports the GATT objects and sets `ServicesResolved`.
package enum ServiceOrder: Sendable, Hashable {
  /// The objects first, as normally.
  case objectsFirst
  /// `ServicesResolved` first, as when the daemon is busy.
  case resolvedFirst
  /// `ServicesResolved` first, the objects after a delay.
  case objectsLate(Duration)
}
