// SPDX-License-Identifier: MIT
internal import BlueZClient
internal import DBus

/// Feeds any bytes to the readers of message bodies: nothing may crash, hang, or touch a byte beyond them.
///
/// The first byte chooses the byte order and what the rest is read as. The rest is copied into a block of exactly its
/// size, so that the address sanitizer sees one byte too many.
func fuzzWire(_ input: UnsafeRawBufferPointer) {
  guard let choice = input.first else { return }
  let body = UnsafeMutableRawBufferPointer.allocate(byteCount: input.count - 1, alignment: 8)
  defer { body.deallocate() }
  body.copyMemory(from: UnsafeRawBufferPointer(rebasing: input.dropFirst()))
  let bytes = UnsafeRawBufferPointer(body)
  var reader = WireReader(bytes, isBigEndian: choice & 1 != 0)
  switch choice >> 1 % 9 {
  case 0: ObjectModelProbe.replace(MessageBody(copying: bytes, isBigEndian: choice & 1 != 0))
  case 1: ObjectModelProbe.added(&reader)
  case 2: ObjectModelProbe.removed(&reader)
  case 3: ObjectModelProbe.changed(&reader)
  case 4:
    // The bytes bring their own signature, as a variant does.
    let signature = reader.signature()
    _ = reader.value(signature)
  case 5:
    let signature = reader.signature()
    reader.skip(signature)
  case 7:
    // A whole message, header and all, as it comes from a bus.
    if let message = Message(marshalled: bytes) {
      _ = message.traceDescription
      _ = message.takeDescriptor(at: 0)
    }
  case 6: _ = reader.values("a{oa{sa{sv}}}")
  default: _ = reader.values("sa{sv}as")
  }
}
