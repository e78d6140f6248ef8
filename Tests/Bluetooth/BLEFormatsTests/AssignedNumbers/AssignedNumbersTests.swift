// SPDX-License-Identifier: MIT
internal import Testing

@testable import BLEFormats

@Suite("Assigned numbers")
struct AssignedNumbersTests {
  @Test("Numbers have the names that the SIG has assigned")
  func namesOfNumbers() {
    #expect(AssignedNumbers.name(ofService: BluetoothUUID(short: 0x180d)) == "Heart Rate")
    #expect(AssignedNumbers.name(ofService: BluetoothUUID(short: 0x1800)) == "Generic Access")
    #expect(AssignedNumbers.name(ofCharacteristic: BluetoothUUID(short: 0x2a37)) == "Heart Rate Measurement")
    #expect(
      AssignedNumbers.name(ofDescriptor: BluetoothUUID(short: 0x2902))
        == "Client Characteristic Configuration")
    #expect(AssignedNumbers.name(ofUnit: 0x272f) == "Celsius temperature (degree Celsius)")
    #expect(AssignedNumbers.companyName(0x004c) == "Apple, Inc.")
    #expect(AssignedNumbers.companyName(0x0157) == "Anhui Huami Information Technology Co., Ltd.")
    #expect(AssignedNumbers.companyName(0xffff) == nil)
  }

  @Test("A number is not taken for one of another kind")
  func kindsApart() {
    #expect(AssignedNumbers.name(ofService: BluetoothUUID(short: 0x2a37)) == nil)
    #expect(AssignedNumbers.name(ofCharacteristic: BluetoothUUID(short: 0x180d)) == nil)
    #expect(AssignedNumbers.assigned(0x004c, kind: .service) == nil)
    #expect(AssignedNumbers.assigned(BluetoothUUID(short: 0x004c)).isEmpty)
  }

  @Test("A bought UUID has the name of what it is used for, else of the member")
  func members() {
    #expect(AssignedNumbers.name(ofService: BluetoothUUID(short: 0xfeaa)) == "Eddystone")
    #expect(
      AssignedNumbers.name(ofService: BluetoothUUID(short: 0xfee0))
        == "Anhui Huami Information Technology Co., Ltd.")
    #expect(AssignedNumbers.assigned(BluetoothUUID(short: 0xfeaa)).map(\.kind) == [.service, .member])
  }

  @Test("The long UUIDs of vendors are known")
  func vendors() throws {
    let uart = try #require(BluetoothUUID("6e400001-b5a3-f393-e0a9-e50e24dcca9e"))
    #expect(uart.name == "Nordic UART Service")
    #expect(AssignedNumbers.assigned(uart).map(\.origin) == [.vendor])
    let buttonA = try #require(BluetoothUUID("e95dda90-251d-470a-a062-fa1922dfa9a8"))
    #expect(AssignedNumbers.name(ofCharacteristic: buttonA) == "micro:bit Button A State")
    let midi = try #require(BluetoothUUID("7772e5db-3868-4112-a1a9-f2669d106bf3"))
    #expect(midi.name == "MIDI Data")
  }

  @Test("The characteristics that the SIG no longer lists keep their names")
  func withdrawn() {
    for (number, name) in [(0x2a1f, "Temperature Celsius"), (0x2a56, "Digital"), (0x2a58, "Analog")] {
      let uuid = BluetoothUUID(short: UInt16(number))
      #expect(AssignedNumbers.name(ofCharacteristic: uuid) == name)
      #expect(BluetoothUUID(name: name, kinds: [.characteristic]) == uuid)
    }
  }

  @Test("Appearances have a category and subcategory")
  func appearances() {
    let belt = Appearance(rawValue: 0x0341)
    #expect(belt.categoryName == "Heart Rate Sensor")
    #expect(belt.subcategoryName == "Heart Rate Belt")
    #expect(belt.name == "Heart Rate Belt")
    #expect(Appearance(rawValue: 0x0340).name == "Heart Rate Sensor")
    #expect(Appearance(rawValue: 0x037f).name == "Heart Rate Sensor")
    #expect(Appearance(rawValue: 0xffff).name == nil)
  }

  @Test(
    "Every table is sorted and complete, and every line in it is found",
    arguments: AssignedNumber.Kind.allCases)
  func tables(_ kind: AssignedNumber.Kind) {
    for table in [kind.table] + kind.vendorTables {
      var numbers: [UInt128] = []
      var unfound: [UInt128] = []
      table.visit { line in
        #expect(!line.name.isEmpty)
        if line.number == numbers.last {
          #expect(table.name(of: line.number) != nil)
        } else if table.name(of: line.number) != line.nameText {
          unfound.append(line.number)
        }
        numbers.append(line.number)
      }
      #expect(!numbers.isEmpty)
      #expect(unfound.isEmpty)
      #expect(numbers == numbers.sorted())
      for number in numbers where !numbers.contains(number + 1) { #expect(table.name(of: number + 1) == nil) }
      #expect(table.name(of: .max) == nil)
      #expect(numbers.contains(0) || table.name(of: 0) == nil)
    }
  }
}
