// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import Glibc
internal import JSON
internal import ValueStreams

/// Decodes advertised data with keys, for comparison with other decoders.
///
/// It reads lines of `manufacturer|service NUMBER ADDRESS KEY DATA`, all but the first in hexadecimal digits and the key `-` for
/// none, and prints an object for each: the values with the `type` and the `packet_counter`, or an `error`.
@main
enum AdvertDecoder {
  static func main() {
    var json = JSONWriter()
    while let line = readLine() {
      json.object { write(line, to: &$0) }
      json.endRecord()
    }
    json.bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let written = Glibc.write(
          STDOUT_FILENO, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        guard written > 0 else { exit(1) }
        rest = rest.dropFirst(written)
      }
    }
  }

  private static func write(_ line: String, to json: inout JSONWriter) {
    let words = line.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 5, let number = UInt16(words[1], radix: 16),
      let address = BluetoothAddress(words[2]),
      let bytes = Hex.bytes(words[4])
    else { preconditionFailure("not a line of data: \(line)") }
    let data: AdvertisedData =
      words[0] == "service" ? .service(BluetoothUUID(short: number), bytes) : .manufacturer(number, bytes)
    do throws(DecryptionError) {
      let key = try? BindKey(parsing: words[3])
      guard let reading = try AdvertisedFormats.decode(data, from: address, key: key) else { return }
      json.field("type", reading.format.type)
      if let counter = reading.counter { json.field("packet_counter", String(counter.value)) }
      reading.format.fields.write(fieldsTo: &json)
    } catch {
      json.field("error", error.description)
    }
  }
}
