// SPDX-License-Identifier: MIT
internal import DBus

/// A property of bytes that changes often, with a template for its signal.
final class ValueStream {
  let property: String
  let interface: String
  let path: String
  weak var object: ExportedObject?
  weak var slot: ExportedObject.Slot?
  private var template: SignalTemplate?

  init(_ property: String, of interface: String, at path: String) {
    self.property = property
    self.interface = interface
    self.path = path
  }

  /// The signal for a value, or nil for a value that no template can hold.
  func signal(with bytes: [UInt8]) -> Message? {
    if template?.count != bytes.count { template = SignalTemplate(count: bytes.count, build) }
    return template?.signal(with: bytes)
  }

  private func build(_ bytes: [UInt8]) -> Message {
    Message(signal: "PropertiesChanged", of: StandardInterface.properties, at: path) { writer in
      writer.string(interface)
      writer.properties([(property, .bytes(bytes))])
      writer.value(.strings([]))
    }
  }
}
