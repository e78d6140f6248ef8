// SPDX-License-Identifier: MIT
package import BLEFormats

/// Advertised data of all formats, many of each, always the same.
package enum SampleFormats {
  /// Calls `body` with each of them.
  package static func forEach(_ body: (any AdvertisedFormat) throws -> Void) rethrows {
    var random = Sequence()
    try forEachTabled(&random, body)
    for seed in seeds {
      for variant in 0..<4 {
        let bytes = variant == 0 ? seed : random.changed(seed)
        for service in services {
          if let format = AdvertisedFormats.decode(service: service, data: bytes) { try body(format) }
        }
        for company in companies {
          let letter = random.next(in: switchBots.count)
          let context = AdvertisedContext(
            localName: names[random.next(in: names.count)], services: [BluetoothUUID(short: 0xfff0)],
            data: [
              .service(BluetoothUUID(short: 0xfd3d), [switchBots[letter], 0, 0]),
              .manufacturer(company, bytes),
            ])
          if let format = AdvertisedFormats.decode(company: company, data: bytes, in: context) {
            try body(format)
          }
        }
      }
    }
  }

  /// Each object of BTHome and MiBeacon, and each record of Victron.
  private static func forEachTabled(
    _ random: inout Sequence, _ body: (any AdvertisedFormat) throws -> Void
  ) rethrows {
    for identifier in UInt8.min...UInt8.max {
      for _ in 0..<4 {
        let data = [0x40, identifier] + random.bytes(16)
        if let format = AdvertisedFormats.decode(service: BluetoothUUID(short: 0xfcd2), data: data) {
          try body(format)
        }
        let record = [0x10, 0x00, 0x01, 0x02, identifier, 0x01, 0x00, 0x00] + random.bytes(16)
        let sealed = AdvertisedData.manufacturer(0x02e1, record)
        if let address = BluetoothAddress("C0:00:00:00:00:01"), let key = try? BindKey(parsing: zeros),
          let format = try? AdvertisedFormats.decode(sealed, from: address, key: key)?.format
        {
          try body(format)
        }
      }
    }
    let ranges: [ClosedRange<UInt16>] = [
      0x0000...0x0020, 0x1000...0x1020, 0x2000...0x2010, 0x3000...0x3010, 0x4800...0x4f00, 0x5000...0x5900,
      0x6400...0x6480, 0x6e00...0x6e20,
    ]
    for identifier in ranges.joined() {
      for size in [1, 2, 3, 4, 7, 8, 9] {
        let object = [UInt8(truncatingIfNeeded: identifier), UInt8(identifier >> 8), UInt8(size)]
        let data = [0x40, 0x50, 0x5b, 0x04, 0x01] + object + random.bytes(size)
        if let format = AdvertisedFormats.decode(service: BluetoothUUID(short: 0xfe95), data: data) {
          try body(format)
        }
      }
    }
  }

  private static let zeros = String(repeating: "0", count: 32)

  /// The seeds of the fuzzer.
  private static let seeds: [[UInt8]] = {
    let path = RecordedFile.path("Fuzz/Corpus/Advertisements.txt")
    let lines = RecordedFile.read(path)?.split(separator: "\n") ?? []
    let bytes = lines.compactMap { Hex.bytes(String($0)) }
    // With and without what the fuzzer reads before the data.
    return bytes + bytes.compactMap { $0.count > 3 ? Array($0.dropFirst(3)) : nil }
  }()

  private static let companies: [UInt16] = [
    0x0001, 0x0006, 0x004c, 0x02e1, 0x0499, 0x0969, 0x0ba9, 0x8801, 0xec88, 0xffff,
  ]
  private static let services = [
    0x0d00, 0x181a, 0x181b, 0x181d, 0x1852, 0x1856, 0xfcd2, 0xfd3d, 0xfd6f, 0xfdcd, 0xfe2c, 0xfe95, 0xfeaa,
  ].map { BluetoothUUID(short: $0) }
  private static let names: [String?] = [
    nil, "GVH5075_1234", "GVH5102_1234", "GVH5183_1234", "GVH5055_1234", "sps", "tps", "iBBQ", "xBBQ",
    "TP357 (2142)", "TP96 (2142)", "Ink@IAM-T1", "N0BYD", "Govee_H5074_1234",
  ]
  private static let switchBots = Array("HbTiwdscxgvj5&%4".utf8)

  /// Numbers that only look random.
  private struct Sequence {
    private var state: UInt64 = 0x9e37_79b9_7f4a_7c15

    mutating func next(in count: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(count))
    }

    mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(next(in: 256)) } }

    /// Some of the bytes with other values, or more of them.
    mutating func changed(_ bytes: [UInt8]) -> [UInt8] {
      var bytes = bytes
      for _ in 0...next(in: 4) where !bytes.isEmpty { bytes[next(in: bytes.count)] = UInt8(next(in: 256)) }
      return next(in: 4) == 0 ? bytes + self.bytes(next(in: 12)) : bytes
    }
  }
}
