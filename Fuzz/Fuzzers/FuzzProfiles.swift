// SPDX-License-Identifier: MIT
internal import BLEFormats

/// Feeds any text to the reader of profiles, and to that of layouts; what is a layout decodes and encodes any bytes.
func fuzzProfiles(_ input: UnsafeRawBufferPointer) {
  let bytes = Array(input)
  do throws(ProfileError) {
    let profile = try Profile(parsing: bytes, source: "p.json")
    for entry in profile.characteristics + profile.descriptors { entry.layout.map { check($0, bytes) } }
    for entry in profile.advertisements { check(entry.layout, bytes) }
  } catch {
    precondition(error.description.hasPrefix("p.json:"), "no place: \(error)")
    precondition(error.mistakes.allSatisfy { $0.hasPrefix("p.json:") }, "no place: \(error.mistakes)")
  }
  let text = String(decoding: bytes, as: UTF8.self)
  do throws(FormatError) {
    check(try ValueLayout(compact: text), bytes)
  } catch {
    precondition(text.contains(error.text), "'\(error.text)' is not in the text")
  }
}

/// What bytes decode to is text, and can be typed or is refused.
private func check(_ layout: ValueLayout, _ bytes: [UInt8]) {
  let samples = [[], bytes, Array(repeating: 0xff, count: 64), Array(repeating: 0x80, count: 64)]
  for sample in samples {
    let decoded = layout.decode(sample)
    _ = decoded.text
    guard let encoded = try? layout.encode(decoded) else { continue }
    let again = layout.decode(encoded).fields.map(\.key)
    precondition(again == decoded.fields.map(\.key), "other fields after encoding: \(again)")
  }
}
