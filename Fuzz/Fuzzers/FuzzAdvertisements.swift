// SPDX-License-Identifier: MIT
internal import BLEMeaning

/// Feeds arbitrary bytes to the advertisement decoders: nothing may crash, and every result can be printed.
///
/// The first byte chooses what the rest is: a whole advertisement, manufacturer data behind a company identifier, or
/// service data behind a 16-bit UUID.
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
  let format =
    choice % 3 == 1
    ? AdvertisedFormats.decode(company: number, data: rest)
    : AdvertisedFormats.decode(service: BluetoothUUID(short: number), data: rest)
  if let format { check(format) }
}

/// What every format promises: it has a name, and no key stands twice.
private func check(_ format: any AdvertisedFormat) {
  precondition(!format.type.isEmpty && !format.text.isEmpty)
  let keys = format.fields.fields.map(\.key)
  precondition(Set(keys).count == keys.count)
  _ = format.rssiAtOneMetre
}
