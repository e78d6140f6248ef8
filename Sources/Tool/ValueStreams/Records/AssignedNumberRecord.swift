// SPDX-License-Identifier: MIT
package import BLECentral
package import JSON
package import TerminalOutput

/// A number and its name, for `uuid`.
package struct AssignedNumberRecord: Record {
  package let number: AssignedNumber

  package init(number: AssignedNumber) { self.number = number }

  package func write(to json: inout JSONWriter) {
    json.field("kind", number.kind.rawValue)
    json.field("name", number.name)
    switch number.number {
    case .uuid(let uuid):
      json.field("uuid", uuid)
      json.field("short", uuid.shortForm.map { _ in uuid.description })
    case .value(let value):
      json.field("value", value.fourDigits)
    }
    json.field("allocated_by", allocator)
  }

  /// The party that defined the number: the SIG for a bought one, whose name is that of the buyer.
  private var allocator: String {
    switch number.origin {
    case .sig: "Bluetooth SIG"
    case .vendor: "vendor"
    case .own: "you"
    }
  }

  package static let table = TableLayout(columns: [
    .init(title: "NUMBER"), .init(title: "KIND"), .init(title: "NAME", isFlexible: true, leastWidth: 26),
    .init(title: "ALLOCATED BY", isDispensable: true), .init(title: "IN FULL", isDispensable: true),
  ])

  /// The shortest form, the kind, the name, the allocator, the 128-bit form.
  package var cells: [TableLayout.Cell] {
    let (short, long): (String, String) =
      switch number.number {
      case .uuid(let uuid): (uuid.description, uuid.longForm)
      case .value(let value): (value.fourDigits, "")
      }
    return [
      .init(short, style: .cyan), .init(number.kind.rawValue),
      .init(number.name, style: .bold), .init(allocator), .init(long, style: .dim),
    ]
  }
}
