// SPDX-License-Identifier: MIT
internal import BLECentral
package import JSON
internal import TerminalOutput
internal import ValueStreams

/// A key of the file, or a change of it; never the key itself.
package struct KeyRecord: Record {
  package enum Event: String {
    case added
    case removed
  }

  private let change: KeyChange
  /// Nil in lists.
  private let event: Event?

  package init(_ change: KeyChange, event: Event? = nil) { (self.change, self.event) = (change, event) }

  private var kind: String {
    switch change {
    case .bindKey: "bind-key"
    case .identity: "identity"
    }
  }

  private var address: BluetoothAddress? {
    switch change {
    case .bindKey(let address): address
    case .identity(_, let address): address
    }
  }

  private var name: String? {
    switch change {
    case .bindKey: nil
    case .identity(let name, _): name
    }
  }

  package func write(to json: inout JSONWriter) {
    json.field("event", event?.rawValue)
    json.field("kind", kind)
    json.field("address", address)
    json.field("name", name)
  }

  /// Kind, address and name.
  package var fields: [String] { [kind, address.map { "\($0)" } ?? "", name ?? ""] }

  /// The change, for people: `added the bind key of A4:C1:38:56:53:84`.
  package var remark: String {
    let owner = [name, address.map { "\($0)" }].compactMap(\.self)
    let what =
      switch change {
      case .bindKey: "the bind key of \(owner[0])"
      case .identity: owner.count == 2 ? "\(owner[0]) (\(owner[1]))" : owner[0]
      }
    return "\(event.map { "\($0.rawValue) " } ?? "")\(what)"
  }
}
