// SPDX-License-Identifier: MIT

/// The lasting faults of a peripheral, at most one of each kind.
package struct ActiveFaults {
  private struct Entry {
    let fault: any PeripheralFaultKind
    var left: RemainingCount
  }

  private var entries: [ObjectIdentifier: Entry] = [:]

  /// Starts the lasting faults among some commands.
  package init(_ actions: [PeripheralAction] = []) {
    for action in actions { begin(action) }
  }

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
