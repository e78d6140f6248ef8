// SPDX-License-Identifier: MIT
internal import BLEMeaning

/// The fields that every CSV log has; ``CSVTable`` adds those for decoded values and the device name.
struct CSVRow {
  /// The columns, in order.
  enum Column: Int, CaseIterable {
    case time, event, address, service, characteristic, handle, value, via, reason, gapSeconds, count

    var name: String { self == .gapSeconds ? "gap_seconds" : "\(self)" }
  }

  private var fields = [String](repeating: "", count: Column.allCases.count)

  init(event: String) { self[.event] = event }

  /// The text of a field, which needs no quotes; empty unless set.
  subscript(column: Column) -> String {
    get { fields[column.rawValue] }
    set { fields[column.rawValue] = newValue }
  }

  /// Sets the fields that identify the attribute.
  mutating func set(service: BluetoothUUID, characteristic: BluetoothUUID, handle: UInt16?) {
    self[.service] = service.longForm
    self[.characteristic] = characteristic.longForm
    self[.handle] = handle?.description ?? ""
  }

  var text: String { fields.joined(separator: ",") }

  /// The fields after one column, and up to another if given, with the commas that separate them from both.
  func text(behind first: Column, before last: Column? = nil) -> String {
    let end = last?.rawValue ?? fields.endIndex
    return "," + fields[(first.rawValue + 1)..<end].map { $0 + "," }.joined().dropLast(last == nil ? 1 : 0)
  }
}
