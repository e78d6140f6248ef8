// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import TestSupport

@testable internal import BluetoothProxy

/// Feeds any bytes to a proxy's side of a connection, and to what it makes of advertisements.
///
/// The first byte chooses what the rest is: bytes of a client in plaintext, of one that shakes hands, or of one that
/// has, in frames or in messages; or parts of an advertisement. The second one is the size of the parts in which
/// bytes come.
func fuzzProxy(_ input: UnsafeRawBufferPointer) {
  guard input.count > 2 else { return }
  let (part, bytes) = (Int(input[1]) + 1, Array(input.dropFirst(2)))
  switch input[0] % 6 {
  case 0: checkParts(of: bytes, part, ProxyTransport(.plaintext))
  case 1: checkParts(of: bytes, part, encrypted)
  case 2: checkParts(of: bytes, part, established.server)
  case 3: checkMessages(bytes)
  case 4: checkNames(bytes)
  default: checkAdvertisement(bytes)
  }
}

private let sampleKey = [UInt8](1...32)

private let encrypted: ProxyTransport = {
  guard let key = ProxyKey(bytes: sampleKey), let name = ProxyName("attic-pi"),
    let address = BluetoothAddress(number: 1)
  else { preconditionFailure("the key is refused") }
  return ProxyTransport(
    .noise(key, name: name, address: address), makePrivateKey: { [UInt8](33...64) })
}()

private let established: (server: ProxyTransport, client: NoiseInitiator) = {
  var server = encrypted
  guard var client = try? NoiseInitiator(key: sampleKey, privateKey: [UInt8](65...96)),
    case .send(let frame) = server.received(client.opening).dropFirst().first,
    (try? client.finish(Array(frame.dropFirst(3)))) != nil
  else { preconditionFailure("hands cannot be shaken") }
  return (server, client)
}()

/// Bytes mean the same in parts and at once; nothing follows a refusal; and what is refused is never established later.
private func checkParts(of bytes: [UInt8], _ part: Int, _ transport: ProxyTransport) {
  var (whole, parts) = (transport, transport)
  let events = whole.received(bytes)
  var others: [ProxyTransport.Event] = []
  for start in stride(from: 0, to: bytes.count, by: part) {
    others += parts.received(bytes[start...].prefix(part))
  }
  precondition(events == others, "\(events) in parts: \(others)")
  let end = events.firstIndex { if case .refused = $0 { true } else { false } }
  guard let end else { return }
  precondition(end == events.count - 1 && whole.received(bytes).isEmpty && whole.encode(.ping) == nil)
}

/// Messages that are encrypted mean what their bodies mean, and the connection stays sound.
private func checkMessages(_ bytes: [UInt8]) {
  var (server, client) = established
  var rest = bytes[...]
  while rest.count >= 3 {
    let type = UInt16(rest.removeFirst()) << 8 | UInt16(rest.removeFirst())
    let body = Array(rest.dropFirst().prefix(Int(rest.removeFirst())))
    rest = rest.dropFirst(body.count)
    guard let frame = try? client.frame(type, body) else { preconditionFailure("not encrypted") }
    let message = try? ClientMessage(type: type, body: body[...])
    let event = server.received(frame)
    let expected = message.map(ProxyTransport.Event.message) ?? .malformed(type: type)
    precondition(event == [expected], "\(event)")
    if case .some(.hello(let name, _)) = message { checkHello(name, &server, &client) }
  }
}

/// A text of a client goes back as valid UTF-8.
private func checkHello(_ name: String, _ server: inout ProxyTransport, _ client: inout NoiseInitiator) {
  let hello = ServerMessage.hello(APIVersion(major: 1, minor: 14), serverInfo: name, name: "attic-pi")
  guard let frame = server.encode(hello), let (type, body) = try? client.open(Array(frame.dropFirst(3))),
    let fields = ProtobufField.decode(body)
  else { preconditionFailure("not readable") }
  precondition(type == 2 && (name.isEmpty || fields.contains(.text(3, name))))
}

/// Names and keys that are accepted are what they have to be.
private func checkNames(_ bytes: [UInt8]) {
  let text = String(decoding: bytes, as: UTF8.self)
  if let name = ProxyName(from: text) {
    precondition(ProxyName(name.text) == name && ProxyName(from: name.text) == name)
  }
  if let name = ProxyName(text) { precondition((1...31).contains(name.text.utf8.count)) }
  if let key = ProxyKey(parsing: text) { precondition(key.text == text && ProxyKey(bytes: key.bytes) == key) }
}

/// What is made of reports can be split again, and has the data and the services in their order.
private func checkAdvertisement(_ bytes: [UInt8]) {
  var reader = ByteReader(bytes)
  var (companies, data, services): ([AdvertisedData], [AdvertisedData], [BluetoothUUID]) = ([], [], [])
  while let choice = reader.unsigned(1), let number = reader.unsigned(2) {
    let contents = reader.bytes(choice / 8) ?? reader.remainder()
    switch choice % 4 {
    case 0: companies.append(.manufacturer(UInt16(number), contents))
    case 1: data.append(.service(BluetoothUUID(UInt32(number) << (choice & 16)), contents))
    case 2: services.append(BluetoothUUID(UInt32(number) << (choice & 16)))
    default: services += BluetoothUUID(bytes: contents).map { [$0] } ?? []
    }
  }
  let name = String(decoding: bytes, as: UTF8.self)
  let raw = RawAdvertisement(
    RawAdvertisement.bytes(
      flags: [bytes[0]], data: companies + data, services: services, txPower: bytes.count, name: name,
      appearance: UInt16(bytes[0])))
  precondition(raw.rest.isEmpty && raw.context.data == companies + data && raw.serviceUUIDs == services)
  precondition(name.hasPrefix(raw.localName ?? "") || name.utf8.count > 248)
}
