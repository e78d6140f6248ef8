// SPDX-License-Identifier: MIT
internal import BLEMeaning

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
