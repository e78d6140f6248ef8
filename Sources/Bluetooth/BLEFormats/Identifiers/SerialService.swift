// SPDX-License-Identifier: MIT

/// A service that carries the bytes of a serial port; its directions are named as the device sees them.
package struct SerialService: Sendable, Hashable {
  /// Two characteristics with which each side tells the other how many packets it may send.
  package struct Credits: Sendable, Hashable {
    /// Takes the packets that the device may send.
    package let rx: BluetoothUUID
    /// Notifies the packets that the device takes.
    package let tx: BluetoothUUID
    /// The most packets that may be granted at once.
    package let most: Int
    /// The number with which the device ends the exchange; nil if every number is one of packets.
    package let end: UInt8?
  }

  package let name: String
  /// Its name in a file, such as `nordic`.
  package let word: String
  package let uuid: BluetoothUUID
  /// The characteristic that the device receives on: it is written.
  package let rx: BluetoothUUID
  /// The characteristic that the device transmits on: it notifies.
  package let tx: BluetoothUUID
  package let credits: Credits?

  private init(
    _ name: String, _ word: String, _ uuid: BluetoothUUID, rx: BluetoothUUID, tx: BluetoothUUID,
    credits: Credits? = nil
  ) {
    (self.name, self.word, self.uuid, self.rx, self.tx) = (name, word, uuid, rx, tx)
    self.credits = credits
  }

  /// Every service that is known.
  package static let all = [nordic, hm10, microchip, uBlox, siliconLabs, telit, laird]

  /// Also that of Adafruit's Bluefruit modules.
  package static let nordic = SerialService(
    "Nordic UART", "nordic", BluetoothUUID(0x6e40_0001, base: nordicBase),
    rx: BluetoothUUID(0x6e40_0002, base: nordicBase),
    tx: BluetoothUUID(0x6e40_0003, base: nordicBase))

  private static let hm10 = SerialService(
    "HM-10", "hm-10", BluetoothUUID(short: 0xffe0), rx: BluetoothUUID(short: 0xffe1),
    tx: BluetoothUUID(short: 0xffe1))

  private static let microchip = SerialService(
    "Microchip Transparent UART", "microchip",
    BluetoothUUID(0x4953_5343, base: 0xfe7d_4ae5_8fa9_9faf_d205_e455),
    rx: BluetoothUUID(0x4953_5343, base: 0x8841_43f4_a8d4_ecbe_3472_9bb3),
    tx: BluetoothUUID(0x4953_5343, base: 0x1e4d_4bd9_ba61_23c6_4724_9616))

  private static let uBlox = SerialService(
    "u-blox Serial Port Service", "u-blox", BluetoothUUID(0x2456_e1b9, base: uBloxBase | 0x01),
    rx: BluetoothUUID(0x2456_e1b9, base: uBloxBase | 0x03),
    tx: BluetoothUUID(0x2456_e1b9, base: uBloxBase | 0x03),
    credits: Credits(
      rx: BluetoothUUID(0x2456_e1b9, base: uBloxBase | 0x04),
      tx: BluetoothUUID(0x2456_e1b9, base: uBloxBase | 0x04),
      most: 127, end: 0xff))

  private static let siliconLabs = SerialService(
    "Silicon Labs SPP", "silicon-labs", BluetoothUUID(0x4880_c12c, base: 0xfdcb_4077_8920_a450_d7f9_b907),
    rx: BluetoothUUID(0xfec2_6ec4, base: 0x6d71_4442_9f81_55bc_21d6_58d6),
    tx: BluetoothUUID(0xfec2_6ec4, base: 0x6d71_4442_9f81_55bc_21d6_58d6))

  private static let telit = SerialService(
    "Telit Terminal I/O", "telit", BluetoothUUID(short: 0xfefb), rx: BluetoothUUID(1, base: telitBase),
    tx: BluetoothUUID(2, base: telitBase),
    credits: Credits(
      rx: BluetoothUUID(3, base: telitBase), tx: BluetoothUUID(4, base: telitBase), most: 255, end: nil))

  private static let laird = SerialService(
    "Laird Virtual Serial Port", "laird", BluetoothUUID(0x569a_1101, base: lairdBase),
    rx: BluetoothUUID(0x569a_2001, base: lairdBase), tx: BluetoothUUID(0x569a_2000, base: lairdBase))

  private static let nordicBase: UInt128 = 0xb5a3_f393_e0a9_e50e_24dc_ca9e
  private static let uBloxBase: UInt128 = 0x26e2_8f83_e744_f34f_01e9_d700
  private static let telitBase: UInt128 = 0x0000_1000_8000_0080_2500_0000
  private static let lairdBase: UInt128 = 0xb87f_490c_92cb_11ba_5ea5_167c
}
