// SPDX-License-Identifier: MIT
internal import BLEFormats

/// Decrypts arbitrary bytes with an arbitrary key, then bytes that really are encrypted with it: those have to come out as
/// they went in.
///
/// The first byte chooses the format. 16 bytes of the key follow, then the contents.
func fuzzKeys(_ input: UnsafeRawBufferPointer) {
  let bytes = Array(input)
  guard bytes.count > 17, let key = BindKey(bytes: bytes[1..<17]),
    let short = BindKey(bytes: bytes[1..<13]), let cipher = try? AES(key: Array(bytes[1..<17])),
    let address = BluetoothAddress(bytes: bytes[3..<9])
  else { return }
  let contents = Array(bytes[17...])
  let hostile: AdvertisedData =
    switch bytes[0] % 4 {
    case 0: .service(BTHome.service, contents)
    case 1: .service(BluetoothUUID(short: 0xfe95), contents)
    case 2: .service(BluetoothUUID(short: 0x181a), contents)
    default: .manufacturer(VictronReadout.company, [0x10] + contents)
    }
  for key in [key, short] {
    if let reading = try? AdvertisedFormats.decode(hostile, from: address, key: key) { check(reading.format) }
  }
  checkBTHome(contents, cipher, key, address)
  checkMiBeacon(contents, cipher, key, address)
  checkIdentity(bytes, cipher)
  checkCounters(contents)
  if let error = failure(of: String(decoding: contents, as: UTF8.self)) {
    precondition(!error.description.contains("0x") && error.description.utf8.count < 60)
  }
}

/// What was encrypted as BTHome is decoded as if it had not been.
private func checkBTHome(_ objects: [UInt8], _ cipher: AES, _ key: BindKey, _ address: BluetoothAddress) {
  let nonce = address.bytes + [0xd2, 0xfc, 0x45, 9, 8, 7, 6]
  guard let sealed = try? cipher.seal(objects, nonce: nonce, tagCount: 4) else { preconditionFailure() }
  let data = AdvertisedData.service(BTHome.service, [0x45] + sealed.bytes + [9, 8, 7, 6] + sealed.tag)
  let reading = try? AdvertisedFormats.decode(data, from: address, key: key)
  precondition(reading?.format as? BTHome == BTHome(data: [0x44] + objects))
  precondition(reading?.counter == PacketCounter(0x0607_0809, bits: 32))
}

/// What was encrypted as MiBeacon 5 is decoded as if it had not been.
private func checkMiBeacon(_ objects: [UInt8], _ cipher: AES, _ key: BindKey, _ address: BluetoothAddress) {
  let rest: [UInt8] = [0x5b, 0x05, 0x21]
  let nonce = address.bytes.reversed() + rest + [1, 2, 3]
  guard let sealed = try? cipher.seal(objects, nonce: nonce, associated: [0x11], tagCount: 4) else {
    preconditionFailure()
  }
  let frame = [0x48, 0x50] + rest + sealed.bytes + [1, 2, 3] + sealed.tag
  let data = AdvertisedData.service(BluetoothUUID(short: 0xfe95), frame)
  let reading = try? AdvertisedFormats.decode(data, from: address, key: key)
  precondition(reading?.format.fields == MiBeacon(data: [0x40, 0x50] + rest + objects)?.fields)
}

/// The hash of an address is found again.
private func checkIdentity(_ bytes: [UInt8], _ cipher: AES) {
  let random = [bytes[0] & 0x3f | 0x40, bytes[16], bytes[17]]
  guard let hash = try? cipher.encrypt(block: [UInt8](repeating: 0, count: 13) + random).suffix(3),
    let address = BluetoothAddress(bytes: random + hash), let key = IdentityKey(bytes: bytes[1..<17]),
    let isResolved = try? key.resolves(address)
  else { preconditionFailure() }
  precondition(isResolved)
}

/// A packet that was judged once is a repetition, or a replay.
private func checkCounters(_ bytes: [UInt8]) {
  var filter = ReplayFilter()
  for start in stride(from: 0, to: bytes.count, by: 2) {
    let number = bytes[start...].prefix(2).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    let counter = PacketCounter(number, bits: 16)
    let (first, second) = (filter.judge(counter), filter.judge(counter))
    precondition(second != .fresh && second != .restarted)
    precondition(first != .fresh || second == .repeated)
  }
}

private func failure(of text: String) -> SecretKeyError? {
  do throws(SecretKeyError) {
    _ = try BindKey(parsing: text)
    return nil
  } catch {
    return error
  }
}
