// SPDX-License-Identifier: MIT
package import DBus

/// A message as a bus delivers it, with sender and number; also one that no bus would.
package struct Delivery: Sendable {
  package var kind: Message.Kind
  package var serial: UInt32 = 1
  package var replySerial: UInt32?
  package var path: String?
  package var interface: String?
  package var member: String?
  package var errorName: String?
  package var destination: String?
  package var sender: String?
  package var signature: String
  package var body: [UInt8]

  /// What a bus makes of a message that somebody sends.
  package init(_ message: Message, from sender: String?) {
    kind = message.kind
    replySerial = message.replySerial == 0 ? nil : message.replySerial
    (path, interface, member) = (message.path, message.interface, message.member)
    (errorName, destination, signature) = (message.errorName, message.destination, message.signature)
    self.sender = sender
    body = message.withBytes { bytes in
      Array(bytes.suffix(Int(bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self))))
    }
  }

  /// The message, little-endian, header and all.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = [UInt8(ascii: "l"), kind.rawValue, kind == .methodCall ? 0 : 1, 1]
    func integer(_ value: Int) {
      for index in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * index))) }
    }
    func align() { while bytes.count % 8 != 0 { bytes.append(0) } }
    func text(_ field: UInt8, _ type: String, _ text: String?) {
      guard let text else { return }
      align()
      bytes += [field, 1] + type.utf8 + [0]
      if type == "g" {
        bytes.append(UInt8(truncatingIfNeeded: text.utf8.count))
      } else {
        integer(text.utf8.count)
      }
      bytes += text.utf8 + [0]
    }
    integer(body.count)
    integer(Int(serial))
    integer(0)
    text(1, "o", path)
    text(2, "s", interface)
    text(3, "s", member)
    text(4, "s", errorName)
    if let replySerial {
      align()
      bytes += [5, 1, UInt8(ascii: "u"), 0]
      integer(Int(replySerial))
    }
    text(6, "s", destination)
    text(7, "s", sender)
    if !signature.isEmpty { text(8, "g", signature) }
    let length = bytes.count - 16
    for index in 0..<4 { bytes[12 + index] = UInt8(truncatingIfNeeded: length >> (8 * index)) }
    align()
    return bytes + body
  }
}
