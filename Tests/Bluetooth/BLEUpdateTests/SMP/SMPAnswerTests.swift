// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import Testing

@testable internal import BLEUpdate

@Suite("Answers of SMP")
struct SMPAnswerTests {
  @Test("An image is read with what the answer has of it")
  func images() throws {
    let whole: CBORMap = [
      "image": 1, "slot": 0, "version": "1.2.3", "hash": .bytes([7]), "active": true, "confirmed": 1,
    ]
    let images = try SMPImage.all(in: ["images": [.map(whole), ["slot": 1, "hash": .null]]])
    #expect(images.map(\.image) == [1, 0] && images.map(\.slot) == [0, 1])
    #expect(images[0].version == "1.2.3" && images[0].hash == [7] && images[1].hash == nil)
    #expect(images[0].isActive && images[0].isConfirmed && !images[1].isActive)
    #expect(try SMPImage.all(in: ["images": []]).isEmpty)
  }

  @Test(
    "A list of images with anything else is not what was asked for",
    arguments: [
      [:], ["images": 5], ["images": [5]], ["images": [[:]]], ["images": [["slot": "0"]]],
      ["images": [["slot": -1]]], ["images": [["slot": 0, "image": "1"]]],
      ["images": [["slot": 0, "version": 7]]], ["images": [["slot": 0, "hash": "00"]]],
      ["images": [["slot": 0], ["slot": 1, "active": "yes"]]],
    ] as [CBORMap])
  func wrongImages(answer: CBORMap) {
    #expect(throws: WrongType.self) { try SMPImage.all(in: answer) }
  }

  @Test("A shell command has its output and its status, of which one may be absent")
  func shell() throws {
    #expect(try (["o": "x", "ret": -2] as CBORMap).shellOutcome == ("x", -2))
    #expect(try (["o": "x", "rc": 3] as CBORMap).shellOutcome == ("x", 3))
    #expect(try (["o": "x"] as CBORMap).shellOutcome == ("x", 0))
    #expect(try (["ret": 1] as CBORMap).shellOutcome == ("", 1))
  }

  @Test(
    "An answer of a shell with anything else is not what was asked for",
    arguments: [[:], ["o": 5], ["o": "x", "ret": "y"], ["x": 1]] as [CBORMap])
  func wrongShell(answer: CBORMap) {
    #expect(throws: WrongType.self) { try answer.shellOutcome }
  }

  @Test("Slots are read with the largest image of both; a list with anything else is not what was asked for")
  func slots() throws {
    let slots = try SMPSlot.all(in: [
      "images": [
        [
          "image": 1, "max_image_size": 900,
          "slots": [["slot": 0, "size": 1000], ["slot": 1, "size": 1000, "upload_image_id": 3]],
        ]
      ]
    ])
    #expect(slots.map(\.slot) == [0, 1] && slots.map(\.uploadImage) == [nil, 3])
    #expect(slots.allSatisfy { $0.image == 1 && $0.size == 1000 && $0.largestImage == 900 })
    for answer: CBORMap in [
      ["images": 5], ["images": [["slots": [5]]]], ["images": [["slots": [["slot": "0"]]]]],
    ] {
      #expect(throws: WrongType.self) { try SMPSlot.all(in: answer) }
    }
  }

  @Test("A checksum has the size of its kind, as bytes or as a number")
  func checksums() {
    let hash = [UInt8](repeating: 7, count: 32)
    #expect(SMPClient.checksum(.bytes(hash), "sha256") == hash)
    #expect(SMPClient.checksum(.bytes([1, 2, 3, 4]), "crc32") == [1, 2, 3, 4])
    #expect(SMPClient.checksum(0x01020304, "crc32") == [1, 2, 3, 4])
    #expect(SMPClient.checksum(.bytes([1, 2]), "crc16") == [1, 2])
    for (output, kind) in [
      (.bytes([1, 2]), "crc32"), (.bytes(hash), "crc32"), (.bytes([1, 2]), "sha256"), (7, "sha256"),
      (.unsigned(1 << 40), "crc32"), (-1, "crc32"), (.bytes([]), "crc16"), ("01020304", "crc32"),
    ] as [(CBORValue, String)] {
      #expect(SMPClient.checksum(output, kind) == nil, "\(output) \(kind)")
    }
  }

  @Test("Statistics keep each value as it is, also one that is no number of 63 bits")
  func statistics() throws {
    let fields: CBORMap = ["sent": 12, "all": .unsigned(.max), "load": .float(0.5), "state": "idle"]
    let statistics = try #require(SMPStatistic.all(in: ["fields": .map(fields)]))
    #expect(statistics.map(\.name) == ["sent", "all", "load", "state"])
    #expect(statistics.map(\.value) == [12, .unsigned(.max), .float(0.5), "idle"])
    #expect(statistics.map(\.number) == [12, nil, nil, nil])
    #expect(SMPStatistic.all(in: [:]) == nil)
    #expect(SMPStatistic.all(in: ["fields": [1: 2]]) == nil)
  }

  @Test("Images that the device does not list are a proof of their own")
  func proofs() {
    #expect(UpdateProof(of: [.running(isConfirmed: true)], version: "2.0.0") == .version)
    #expect(UpdateProof(of: [.running(isConfirmed: true)], version: nil) == .hash)
    #expect(
      UpdateProof(of: [.running(isConfirmed: true), .taken(isConfirmed: true)], version: "2.0.0") == .taken)
  }
}
