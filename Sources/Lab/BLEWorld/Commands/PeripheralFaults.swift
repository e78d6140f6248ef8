// SPDX-License-Identifier: MIT
internal import JSON

/// A lasting fault of a peripheral, which the simulator looks up in its ``ActiveFaults``.
package protocol PeripheralFaultKind: Sendable, Equatable {
  /// The number of times the fault applies; nil until it ends.
  var times: Int? { get }
  /// True if it stands for the end of such a fault.
  var isOver: Bool { get }
}

extension PeripheralFaultKind {
  package var times: Int? { nil }
  package var isOver: Bool { times == 0 }
}

/// The lasting faults of a peripheral, at most one of each kind.
package struct ActiveFaults {
  private struct Entry {
    let fault: any PeripheralFaultKind
    var left: RemainingCount
  }

  private var entries: [ObjectIdentifier: Entry] = [:]

  /// Starts the lasting faults among some commands.
  package init(_ actions: [PeripheralAction] = []) { for action in actions { begin(action) } }

  /// Starts or ends a fault; a momentary command has no effect.
  package mutating func begin(_ action: PeripheralAction) {
    if let fault = action.command as? any PeripheralFaultKind { begin(fault) }
  }

  mutating func begin<Fault: PeripheralFaultKind>(_ fault: Fault) {
    entries[ObjectIdentifier(Fault.self)] =
      fault.isOver ? nil : Entry(fault: fault, left: RemainingCount(fault.times))
  }

  package subscript<Fault: PeripheralFaultKind>(_ kind: Fault.Type) -> Fault? {
    entries.isEmpty ? nil : entries[ObjectIdentifier(kind)]?.fault as? Fault
  }

  /// Returns the fault of a kind if it applies this time, and counts that.
  package mutating func take<Fault: PeripheralFaultKind>(_ kind: Fault.Type) -> Fault? {
    guard !entries.isEmpty, let entry = entries[ObjectIdentifier(kind)] else { return nil }
    let happens = entries[ObjectIdentifier(kind)]?.left.take() ?? false
    return happens ? entry.fault as? Fault : nil
  }
}

/// A command that starts or ends a lasting fault.
protocol LastingFault: PeripheralCommand, PeripheralFaultKind {
  /// Applies the immediate effects of its start or end.
  func follow(on target: any PeripheralTarget)
}

extension LastingFault {
  static var isStanding: Bool { true }
  func follow(on target: any PeripheralTarget) {}
  func apply(to target: any PeripheralTarget) {
    target.faults.begin(self)
    follow(on: target)
  }
}

package struct RefuseConnect: LastingFault {
  static let word = "refuse-connect"
  static let about = "Attempts to connect fail."
  static let keys: [Field<Self>] = [.times(\.times), .error(\.failure.name), .text(\.failure.text)]
  var limit: String? { connectionLimit }
  package var times: Int?
  var failure = ErrorKeys()
  package var error: BlueZError { failure.error ?? .failed("le-connection-abort-by-local") }
  var undoing: (any Command)? { Self(times: 0, failure: failure) }
}

package struct HangConnect: LastingFault {
  static let word = "hang-connect"
  static let about = "Attempts to connect hang until the daemon gives up."
  static let keys: [Field<Self>] = [.times(\.times)]
  var limit: String? { connectionLimit }
  package var times: Int?
  var undoing: (any Command)? { Self(times: 0) }
}

package struct HideConnected: LastingFault {
  static let word = "hide-connected"
  static let about =
    "The daemon does not signal that the peripheral is connected, as when it learns that from its own socket first."
  static let keys: [Field<Self>] = [.times(\.times)]
  var limit: String? { "that is up to the BlueZ of the central" }
  package var times: Int?
  var undoing: (any Command)? { Self(times: 0) }
}

package struct DropAfterOperations: LastingFault {
  static let word = "drop-after-operations"
  static let about = "The peripheral closes each link after a number of reads and writes."
  static let keys: [Field<Self>] = [
    .required("operations", \.operations, .integer(0...1_000_000), "The number; 0 is never.")
  ]
  var limit: String? { "BlueZ leaves it to the central to close the link" }
  package var operations = 0
  package var isOver: Bool { operations == 0 }
  var undoing: (any Command)? { Self() }
}

package struct DropAfterTime: LastingFault {
  static let word = "drop-after-time"
  static let about = "The peripheral closes each link after some time."
  static let keys: [Field<Self>] = [.required("time", \.time, .duration, "The time; \"0s\" is never.")]
  var limit: String? { "BlueZ leaves it to the central to close the link" }
  package var time = Duration.zero
  package var isOver: Bool { time == .zero }
  var undoing: (any Command)? { Self() }
  func follow(on target: any PeripheralTarget) { target.limitLinkTime() }
}

package struct SlowLink: LastingFault {
  static let word = "slow-link"
  static let about = "Slows the links down to one packet at a time in each direction."
  static let keys: [Field<Self>] = [
    .required(
      "packet_time", \.packetTime, Codec.duration.optional, "The time per packet; \"0s\" is no delay.")
  ]
  var limit: String? { radioLimit }
  /// The time per packet; nil for the default.
  package var packetTime: Duration?
  package var isOver: Bool { packetTime == nil }
  var undoing: (any Command)? { Self() }
  func follow(on target: any PeripheralTarget) { target.retimeLink() }
}

package struct DelayServices: LastingFault {
  static let word = "delay-services"
  static let about = "Service discovery takes longer."
  static let keys: [Field<Self>] = [.delay(\.delay)]
  package var delay = Duration.zero
  package var isOver: Bool { delay == .zero }
  var undoing: (any Command)? { Self() }
}

package struct OrderServices: LastingFault {
  static let word = "order-services"
  static let about = "The order in which the daemon exports the services and sets ServicesResolved."
  static let keys: [Field<Self>] = [
    .required(
      "order", \.word, .words(Word.allCases.map { ($0.rawValue, $0) }),
      "The order; the normal one is objects_first."),
    Field("by", \.delay, Codec.duration, "The delay of the objects with objects_late."),
  ]

  init() {}

  init(_ order: ServiceOrder) {
    switch order {
    case .objectsFirst: word = .objectsFirst
    case .resolvedFirst: word = .resolvedFirst
    case .objectsLate(let time): (word, delay) = (.objectsLate, time)
    }
  }

  private enum Word: String, CaseIterable {
    case objectsFirst = "objects_first"
    case resolvedFirst = "resolved_first"
    case objectsLate = "objects_late"
  }

  private var word = Word.objectsFirst
  private var delay = Duration.zero

  package var order: ServiceOrder {
    switch word {
    case .objectsFirst: .objectsFirst
    case .resolvedFirst: .resolvedFirst
    case .objectsLate: .objectsLate(delay)
    }
  }

  package var isOver: Bool { word == .objectsFirst }
  var undoing: (any Command)? { Self() }
}

package struct MoveAttributes: LastingFault {
  static let word = "move-attributes"
  static let about =
    "Its firmware was changed: its characteristics have other handles, within the same services. The daemon does not notice."
  static let keys: [Field<Self>] = [
    .required("by", \.distance, .integer(0...1000), "How many handles further; 0 is where they were.")
  ]
  package var distance: UInt16 = 0
  package var isOver: Bool { distance == 0 }
  var undoing: (any Command)? { Self() }
}

package struct LoseAdverts: LastingFault {
  static let word = "lose-adverts"
  static let about =
    "Advertisements are lost: the peripheral cannot be found or connected to. An open link stays."
  var limit: String? { nil }
  package var isOver = false
  var undoing: (any Command)? { Self(isOver: !isOver) }
  func follow(on target: any PeripheralTarget) { if isOver { target.advertisesAgain() } }
}

package struct LoseNames: LastingFault {
  static let word = "lose-names"
  static let about = "Its advertisements arrive without the name."
  static let keys: [Field<Self>] = [.times(\.times)]
  var limit: String? { radioLimit }
  package var times: Int?
  var undoing: (any Command)? { Self(times: 0) }
}

private let connectionLimit = "BlueZ accepts every connection"

/// The order in which the daemon exports the GATT objects and sets `ServicesResolved`.
package enum ServiceOrder: Sendable, Equatable {
  /// The objects first, as usual.
  case objectsFirst
  /// `ServicesResolved` first, as when the daemon is busy.
  case resolvedFirst
  /// `ServicesResolved` first, the objects after a delay.
  case objectsLate(Duration)
}

/// `times` is nil for a fault that lasts until it is undone.
extension PeripheralAction {
  package static func refuseConnect(
    times: Int? = nil, _ error: BlueZError = .failed("le-connection-abort-by-local")
  ) -> Self { Self(RefuseConnect(times: times, failure: ErrorKeys(error))) }
  package static func hangConnect(times: Int? = nil) -> Self { Self(HangConnect(times: times)) }
  package static func hideConnected(times: Int? = nil) -> Self { Self(HideConnected(times: times)) }
  /// Closes each link after a number of reads and writes; nil for never.
  package static func dropAfterOperations(_ count: Int?) -> Self {
    Self(DropAfterOperations(operations: count ?? 0))
  }
  /// Closes each link after some time; nil for never.
  package static func dropAfterTime(_ time: Duration?) -> Self { Self(DropAfterTime(time: time ?? .zero)) }
  /// Sets the time per packet of its links; nil for the default.
  package static func slowLink(_ time: Duration?) -> Self { Self(SlowLink(packetTime: time)) }
  package static func delayServices(_ delay: Duration) -> Self { Self(DelayServices(delay: delay)) }
  package static func orderServices(_ order: ServiceOrder) -> Self { Self(OrderServices(order)) }
  /// Moves its characteristics to other handles within their services; 0 is where they were.
  package static func moveAttributes(by distance: UInt16) -> Self { Self(MoveAttributes(distance: distance)) }
  package static func loseAdverts(_ areLost: Bool = true) -> Self { Self(LoseAdverts(isOver: !areLost)) }
  package static func loseNames(times: Int? = nil) -> Self { Self(LoseNames(times: times)) }
}

/// The number of times a fault still applies.
package struct RemainingCount: Sendable, Equatable {
  package static let none = RemainingCount(0)

  private var left: Int?

  /// - Parameter times: the number; nil for no limit.
  package init(_ times: Int?) { left = times }

  package var isOver: Bool { left == 0 }

  /// Returns whether the fault applies this time, and counts that.
  package mutating func take() -> Bool {
    guard let left else { return true }
    self.left = max(0, left - 1)
    return left > 0
  }
}
