// SPDX-License-Identifier: MIT
import Testing

@testable import BLEFormats
@testable import Charts
@testable import ValueStreams

@Suite("ValueNumbers")
struct ValueNumbersTests {
  private func numbers(
    _ bytes: [UInt8], as format: ValueFormat? = nil, of uuid: UInt16? = nil
  ) -> ValueNumbers {
    let meaning = uuid.flatMap { ValueMeaning(of: AttributeIdentity(BluetoothUUID(short: $0))) }
    return ValueNumbers(bytes, format: format, decoded: meaning?.decode(bytes))
  }

  @Test("A decoded value gives its numbers with their units, and names the fields without numbers")
  func decoded() {
    let value = numbers([0x16, 72, 0x00, 0x04, 0x10, 0x04], of: 0x2a37)
    #expect(value.fields.map(\.name) == ["heart_rate_bpm", "rr_intervals_ms"])
    #expect(value.fields.map(\.unit).first == "bpm")
    #expect(value.fields.first?.numbers == [72])
    #expect(value.fields.last?.numbers.count == 2)
    #expect(value.numberless == ["sensor_contact"])
    let temperature = numbers([0x66, 0x08], of: 0x2a6e)
    #expect(temperature.fields == [.init(name: "temperature_celsius", unit: "°C", numbers: [21.5])])
  }

  @Test("A value whose own checksum is wrong has no numbers")
  func wrongChecksum() throws {
    let layout = try ValueLayout(compact: "temp=i16*0.01°C crc16-ccitt")
    func numbers(_ bytes: [UInt8]) -> ValueNumbers {
      ValueNumbers(bytes, format: nil, decoded: layout.decode(bytes))
    }
    #expect(numbers([0x66, 0x08, 0x8b, 0x3d]).fields.first?.numbers == [21.5])
    let wrong = numbers([0x99, 0x11, 0xff, 0xff])
    #expect(wrong.fields.isEmpty && wrong.numberless == ["a wrong checksum"])
  }

  @Test("A value without a known meaning is named, and can be read with a format")
  func formats() throws {
    #expect(numbers([1, 2]).numberless == ["bytes"])
    #expect(numbers([]).numberless == ["an empty value"])
    let u16 = try ValueFormat(parsing: "u16")
    #expect(numbers([1, 2], as: u16).fields == [.init(name: "u16", unit: "", numbers: [513])])
    #expect(numbers([1, 0, 2, 0], as: u16).fields.map(\.name) == ["u16 1", "u16 2"])
    #expect(numbers([1, 2, 3], as: u16).numberless == ["u16"])
    #expect(numbers([0, 0, 0xc0, 0x7f], as: try ValueFormat(parsing: "f32")).numberless == ["f32"])
  }

  @Test("Text that is a number counts as a number")
  func text() {
    #expect(numbers(Array("21.5\r\n".utf8), as: .utf8).fields.first?.numbers == [21.5])
    #expect(numbers(Array("21.5 C".utf8), as: .utf8).numberless == ["utf8"])
    #expect(numbers([0xff], as: .utf8).numberless == ["utf8"])
    #expect(numbers([], as: .utf8).numberless == ["utf8"])
  }

  @Test("An unknown number is left out, and an incomplete value is reported")
  func unknown() {
    #expect(numbers([0x00, 0x80], of: 0x2a6e).numberless.first == "temperature_celsius")
    #expect(numbers([0x16], of: 0x2a37).numberless.contains("incomplete value"))
  }
}
