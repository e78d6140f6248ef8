// SPDX-License-Identifier: MIT
internal import BLEMeaning

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
