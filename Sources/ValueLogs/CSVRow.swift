// SPDX-License-Identifier: MIT
internal import BLEMeaning

/// The fields of a record that every CSV log has, by the names of their columns.
///
/// Behind them come the decoded values and the name of the device, which ``CSVTable`` adds.
struct CSVRow {
  /// The columns, in their order.
  enum Column: Int, CaseIterable {
    case time, event, address, service, characteristic, handle, value, via, reason, gapSeconds, count

    var name: String { self == .gapSeconds ? "gap_seconds" : "\(self)" }
  }

  private var fields = [String](repeating: "", count: Column.allCases.count)

  init(event: String) { self[.event] = event }

  /// The text of a field, which has no characters that a table quotes; empty unless it was set.
  subscript(column: Column) -> String {
    get { fields[column.rawValue] }
    set { fields[column.rawValue] = newValue }
  }

  /// Sets the fields that say which attribute it is about.
  mutating func set(service: BluetoothUUID, characteristic: BluetoothUUID, handle: UInt16?) {
    self[.service] = service.longForm
    self[.characteristic] = characteristic.longForm
    self[.handle] = handle?.description ?? ""
  }

  /// All fields, with commas between them.
  var text: String { fields.joined(separator: ",") }

  /// The fields behind one column, and before another where it is given, with the commas that separate them from both.
  func text(behind first: Column, before last: Column? = nil) -> String {
    let end = last?.rawValue ?? fields.endIndex
    return "," + fields[(first.rawValue + 1)..<end].map { $0 + "," }.joined().dropLast(last == nil ? 1 : 0)
  }
}
