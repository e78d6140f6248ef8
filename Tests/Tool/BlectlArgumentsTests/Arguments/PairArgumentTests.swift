// SPDX-License-Identifier: MIT
import BLECentral
import Testing

@testable import BlectlArguments

@Suite("DEVICE:CHAR")
struct PairArgumentTests {
  @Test(
    "The last colon separates a device from its characteristic, whatever colons the device has",
    arguments: [
      ("Strap:2a37", "Strap", "2a37"), ("HRM-Dual*:heart-rate-measurement", "HRM-Dual*", "2a37"),
      ("F0:F1:F2:F3:F4:F5:2a37", "F0:F1:F2:F3:F4:F5", "2a37"),
      ("f0-f1-f2-f3-f4-f5:180d/2a37", "F0:F1:F2:F3:F4:F5", "180d/2a37"),
      ("F0:F1:F2:F3:F4:F5:@002a", "F0:F1:F2:F3:F4:F5", "@002a"), ("Room: hall:2a6e", "Room: hall", "2a6e"),
      ("Board:ac3e0002-00", "Board", "ac3e0002-00"),
    ])
  func parts(text: String, device: String, characteristic: String) throws {
    let pair = try PairArgument(parsing: text)
    #expect("\(pair.device)" == device && "\(pair.characteristic)" == characteristic)
  }

  @Test(
    "The error of a pair names the part that is wrong",
    arguments: [
      ("F0:F1:F2:F3:F4:F5", "'F0:F1:F2:F3:F4:F5' is not DEVICE:CHAR, such as Strap:2a37"),
      ("Strap", "'Strap' is not DEVICE:CHAR, such as Strap:2a37"),
      (":2a37", "'' does not name a device"),
      ("F0:F1:F2:F3:F4:2a37", "'F0:F1:F2:F3:F4' is not a Bluetooth address: six bytes in hexadecimal"),
    ])
  func errors(text: String, message: String) {
    let error = #expect(throws: ArgumentError.self) { try PairArgument(parsing: text) }
    #expect(error?.description == message)
  }

  @Test("A pair with an unknown characteristic is refused with the nearest name")
  func unknownCharacteristic() {
    let error = #expect(throws: ArgumentError.self) { try SourceWord(parsing: "Strap:hart-rate-measurement") }
    #expect(error?.description.hasPrefix("'hart-rate-measurement' ") == true)
    #expect(error?.description.contains("did you mean heart-rate-measurement") == true)
  }

  private func sources(_ line: String) throws -> [WantedSource]? {
    let words = line.split(separator: " ").map(String.init)
    return try [WantedSource](
      DeviceArgument(parsing: words[0]), words.dropFirst().map { try SourceWord(parsing: $0) })
  }

  @Test("Characteristics behind the first word make it a device, also one whose name looks like a pair")
  func oneDevice() throws {
    let sources = try #require(try self.sources("Room:temperature 2a6e 2a19"))
    #expect(sources.map { "\($0.device)" } == ["Room:temperature"])
    #expect(sources[0].characteristics.map { "\($0)" } == ["2a6e", "2a19"])
  }

  @Test("Pairs of one device are one source, with each characteristic once")
  func severalDevices() throws {
    let sources = try #require(try self.sources("Strap:2a37 Trainer:2ad2 Strap:2a19 Strap:2a37"))
    #expect(sources.map { "\($0.device)" } == ["Strap", "Trainer"])
    #expect(sources.map { $0.characteristics.map { "\($0)" } } == [["2a37", "2a19"], ["2ad2"]])
    #expect(try self.sources("Strap:2a37")?.count == 1)
  }

  @Test("A device without a characteristic is no source", arguments: ["Strap", "F0:F1:F2:F3:F4:F5"])
  func deviceAlone(line: String) throws {
    #expect(try self.sources(line) == nil)
  }

  @Test(
    "Pairs and other words cannot be mixed",
    arguments: [
      ("Strap 2a37 Trainer:2ad2", "'2a37' has no device before it"),
      ("Strap:2a37 Trainer:2ad2 2a19", "'2a19' has no device before it"),
      ("Strap Trainer:2ad2", "'Strap' is not DEVICE:CHAR"),
    ])
  func mixed(line: String, message: String) throws {
    let error = #expect(throws: ArgumentError.self) { try self.sources(line) }
    #expect(error?.description.hasPrefix(message) == true)
  }

  private struct Device: DeviceCandidate {
    let address: BluetoothAddress
    let name: String?
    let rssi: Int? = nil
  }

  @Test("A device has the characteristics of every pattern that it matches, each once")
  func union() throws {
    let sources = try #require(try self.sources("HRM*:2a37 *-1:2a19 HRM-1:2a37 KICKR:2ad2"))
    let address = try #require(BluetoothAddress("F0:F1:F2:F3:F4:F5"))
    #expect(
      sources.characteristics(of: Device(address: address, name: "HRM-1")).map { "\($0)" } == [
        "2a37", "2a19",
      ])
    #expect(sources.characteristics(of: Device(address: address, name: "Piano")).isEmpty)
    #expect(sources.word(for: Device(address: address, name: "HRM-1")) == "HRM-1")
    #expect(sources.word(for: Device(address: address, name: "HRM-2")) == "HRM*")
    #expect(sources.word(for: Device(address: address, name: "Piano")) == nil)
  }
}
