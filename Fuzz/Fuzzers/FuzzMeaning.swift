// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEFormats

/// Feeds arbitrary bytes to the advertisement decoders: nothing may crash, and every result can be printed.
///
/// The first byte chooses what the rest is: a whole advertisement, manufacturer data behind a company identifier, or
/// service data behind a 16-bit UUID. It also chooses the name of the device, and the model in other data.
func fuzzAdvertisements(_ input: UnsafeRawBufferPointer) {
  let bytes = Array(input)
  guard let choice = bytes.first else { return }
  let data = Array(bytes.dropFirst())
  if choice % 3 == 0 {
    let advertisement = RawAdvertisement(data)
    let taken = advertisement.structures.reduce(0) { $0 + 2 + $1.data.count } + advertisement.rest.count
    precondition(taken <= data.count)
    _ = advertisement.fields.text
    for format in advertisement.formats { check(format) }
    return
  }
  guard data.count >= 2 else { return }
  let number = UInt16(data[0]) << 8 | UInt16(data[1])
  let rest = Array(data.dropFirst(2))
  let name = Int(choice) / 3 % (names.count + 1)
  let context = AdvertisedContext(
    localName: name == 0 ? nil : names[name - 1], services: [BluetoothUUID(short: number)],
    data: [.service(BluetoothUUID(short: 0xfd3d), [choice])])
  let format =
    choice % 3 == 1
    ? AdvertisedFormats.decode(company: number, data: rest, in: context)
    : AdvertisedFormats.decode(service: BluetoothUUID(short: number), data: rest)
  if let format { check(format) }
}

/// Names of devices whose formats are only recognized by them.
private let names = [
  "GVH5075", "GVH5102", "GV5112", "GV5140", "H5106", "H5127", "H5178", "H5179", "H5074", "GVH5181", "GVH5182",
  "GVH5184",
  "GVH5185", "GVH5191", "GVH5198", "GVH5055", "TP357", "TP96", "TP972", "sps", "tps", "ITH-11-B", "iBBQ",
]

/// What every format promises: it has a name, and no key stands twice.
func check(_ format: any AdvertisedFormat) {
  precondition(!format.type.isEmpty && !format.text.isEmpty)
  let keys = format.fields.fields.map(\.key)
  precondition(Set(keys).count == keys.count)
  _ = format.rssiAtOneMetre
}

/// Decodes any bytes as a value of any standard characteristic or descriptor, which the first two bytes choose.
///
/// What is decoded without a problem is encoded, and has to be decoded to the same.
func fuzzCharacteristics(_ input: UnsafeRawBufferPointer) {
  guard input.count >= 2 else { return }
  let choice = Int(input[0]) << 8 | Int(input[1])
  let layout = layouts[choice % layouts.count]
  let bytes = Array(input.dropFirst(2))
  let decoded = layout.decode(bytes)
  _ = decoded.text
  _ = layout.decodeRange(bytes).text
  _ = PresentationFormat(bytes)?.decode(Array(bytes.dropFirst(7)))?.text
  if decoded.isComplete, let encoded = try? layout.encode(decoded) {
    precondition(layout.decode(encoded) == decoded, "\(layout.name): \(Hex.string(bytes))")
  }
  if let text = String(validating: bytes, as: UTF8.self), let encoded = try? layout.encode(text) {
    precondition(layout.decode(encoded).problems.isEmpty, "\(layout.name): \(text)")
  }
}

private let layouts = ValueLayout.numbers.compactMap { ValueLayout(for: BluetoothUUID(short: $0)) }

/// Encodes arbitrary texts and decoded data as advertisements: what is accepted has to be decoded to the same.
///
/// The first byte chooses what the rest is: the values of BTHome, a web address, or data to decode first, as for the
/// fuzzer of advertisements.
func fuzzEncoders(_ input: UnsafeRawBufferPointer) {
  let bytes = Array(input)
  guard let choice = bytes.first else { return }
  let rest = Array(bytes.dropFirst())
  switch choice % 4 {
  case 0:
    guard let format = try? BTHome(parsing: String(decoding: rest, as: UTF8.self)) else { return }
    precondition(format.rest.isEmpty && format.version == 2)
    encode(format) { $0 == format }
  case 1:
    let format = Eddystone.url(String(decoding: rest, as: UTF8.self), txPower: Int8(bitPattern: choice))
    encode(format) { $0 == format }
  default:
    guard rest.count >= 2 else { return }
    let number = UInt16(rest[0]) << 8 | UInt16(rest[1])
    let data = Array(rest.dropFirst(2))
    let given =
      choice % 4 == 2
      ? AdvertisedData.manufacturer(number, data) : .service(BluetoothUUID(short: number), data)
    guard let format = AdvertisedFormats.decode(given) as? any EncodableFormat else { return }
    let fields = format.fields
    encode(format) { $0.fields == fields }
  }
}

/// Encodes a format, decodes it, and counts its bytes.
private func encode<Format: EncodableFormat>(_ format: Format, isSame: (Format) -> Bool) {
  guard let data = try? format.encoded() else { return }
  guard let decoded = AdvertisedFormats.decode(data) as? Format, isSame(decoded) else {
    preconditionFailure("\(format.type) \(data)")
  }
  let advertisement = LegacyAdvertisement(
    flags: .generalDiscoverable, services: format.announcedServices, data: [data])
  let sent = advertisement.structures.flatMap(\.bytes)
  precondition(sent.count == advertisement.size)
  precondition((advertisement.size > LegacyAdvertisement.capacity) == (advertisement.excess != nil))
  if advertisement.excess == nil { precondition(RawAdvertisement(sent).formats.map(\.text) == [format.text]) }
}

/// Feeds any text to what parses UUIDs and their names, addresses, flags and BlueZ's words.
///
/// What is parsed is printed and parsed again: both must mean the same.
func fuzzValues(_ bytes: UnsafeRawBufferPointer) {
  if let uuid = BluetoothUUID(utf8: bytes) {
    precondition(BluetoothUUID(uuid.description) == uuid && BluetoothUUID(uuid.longForm) == uuid)
  }
  if let address = BluetoothAddress(utf8: bytes) {
    precondition(BluetoothAddress(address.description) == address)
  }
  if let properties = CharacteristicProperties(flagUTF8: bytes) {
    precondition(CharacteristicProperties(flags: properties.names) == properties)
  }
  let text = String(decoding: bytes, as: UTF8.self)
  precondition(
    BluetoothUUID(text) == BluetoothUUID(utf8: bytes) || !text.utf8.elementsEqual(bytes))
  fuzzNames(text)
}

/// A name found by a text is found again by its own spelling, and by the one that is typed without quotes.
///
/// Only the short lists are gone through, and for short texts: the same code reads the long ones, slowly here.
private func fuzzNames(_ text: String) {
  guard text.utf8.count <= 48 else { return }
  let kinds: [AssignedNumber.Kind] = [.standard, .declaration]
  for found in AssignedNumbers.named(text, kinds: kinds) {
    precondition(AssignedNumbers.named(found.name, kinds: kinds).contains(found))
    precondition(AssignedNumbers.named(AssignedNumbers.hyphenated(found.name), kinds: kinds).contains(found))
    precondition(AssignedNumbers.containing(text, kinds: kinds).contains(found))
  }
  _ = BluetoothUUID(name: text, kinds: kinds)
  precondition(AssignedNumbers.suggestions(for: text, kinds: [.declaration]).count <= 3)
}
