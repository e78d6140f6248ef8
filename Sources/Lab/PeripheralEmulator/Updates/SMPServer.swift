// SPDX-License-Identifier: MIT
package import BLEFormats
package import BLEWorld

/// The SMP server of a device (MCUmgr): packets in, answers and restarts out.
package struct SMPServer: UpdateServer {
  /// The reason that a request fails: an error of SMP itself, or of a group.
  struct Failure: Error {
    let code: Int
    /// The group whose error it is; nil for one of SMP.
    var group: UInt16?
    /// The offset of an upload that is busy.
    var offset: Int?

    init(_ code: Int, group: UInt16? = nil, offset: Int? = nil) {
      (self.code, self.group, self.offset) = (code, group, offset)
    }

    static let invalid = Failure(3)
    static let unsupported = Failure(8)
    static let busy = Failure(10)

    /// An error of the images.
    static func image(_ code: Int) -> Failure { Failure(code, group: 1) }
    static func file(_ code: Int) -> Failure { Failure(code, group: 8) }
  }

  /// An upload that is not whole.
  struct Upload: Sendable {
    var image: Int
    var size: Int
    var digest: [UInt8]?
    var offset = 0
  }

  /// The time between the answer to a reset and the restart.
  private static let farewell = Duration.milliseconds(50)

  let spec: SMPSpec
  var images: [ImageSlots]
  var upload: Upload?
  var uploadPackets = 0
  var faults: PendingFaults
  var settings: [NamedBytes]
  var files: [NamedBytes]
  /// The date and time that a central has set.
  var date: String?
  private var reassembly = SMPReassembly()
  private let first: [UInt8]
  /// The effects before the answer, and after it.
  var before: [UpdateEffect] = []
  private var after: [UpdateEffect] = []

  package init(_ spec: SMPSpec) {
    self.spec = spec
    let first = SampleFirmware.image(spec.version) ?? []
    self.first = first
    images = (0..<spec.images).map { number in
      let firmware =
        number == 0 ? first : SampleFirmware.image(spec.version, seed: UInt32(number + 1)) ?? []
      return ImageSlots(firmware, mode: spec.mode, behaviour: spec.newFirmware)
    }
    faults = PendingFaults(spec.faults.transfer)
    settings = spec.settings ?? []
    files = spec.files ?? []
  }

  // MARK: The device

  package var version: String { images[0].running?.version.description ?? spec.version }
  package var isInBootloader: Bool { false }
  package var bootloaderName: String? { nil }
  package var isChanged: Bool { images[0].slots[images[0].active].bytes != first }

  package var state: FirmwareState {
    FirmwareState(
      "smp", version: version, isInBootloader: false,
      slots: images.enumerated().flatMap { number, image in
        image.slots.enumerated().filter { !$0.element.bytes.isEmpty }.map { index, slot in
          let flags = [
            ("active", index == image.active), ("confirmed", slot.isConfirmed), ("pending", slot.isPending),
            ("permanent", slot.isPermanent), ("damaged", slot.image?.isIntact != true),
          ]
          return FirmwareState.Slot(
            "image \(number) slot \(index)", version: slot.image?.version.description,
            flags: flags.filter(\.1).map(\.0), bytes: slot.bytes)
        }
      })
  }

  package mutating func linkEnded() {
    reassembly.reset()
    if spec.faults.forgetsUpload { upload = nil }
  }

  package mutating func restart() -> Duration? {
    reassembly.reset()
    upload = nil
    date = nil
    var time = spec.restartTime
    for index in images.indices {
      switch images[index].start() {
      case .same: break
      case .copied: time += spec.swapTime
      case .copiedBack: time += spec.restartTime + spec.swapTime + spec.swapTime
      case .dead: return nil
      }
    }
    return time
  }

  // MARK: Packets

  package mutating func receive(_ bytes: [UInt8], at uuid: BluetoothUUID, waiting: Int) -> [UpdateEffect] {
    guard spec.reassembles else { return answer(bytes, waiting: waiting) }
    guard let packets = try? reassembly.append(bytes) else { return [] }
    if reassembly.count > spec.bufferSize { reassembly.reset() }
    var effects: [UpdateEffect] = []
    for (index, packet) in packets.enumerated() {
      effects += answer(packet, waiting: waiting + index)
    }
    return effects
  }

  /// Answers a packet, unless no buffer can hold it.
  private mutating func answer(_ packet: [UInt8], waiting: Int) -> [UpdateEffect] {
    guard packet.count <= spec.bufferSize, waiting < spec.bufferCount,
      let request = try? SMPMessage(decoding: packet), !request.operation.isResponse
    else { return [] }
    (before, after) = ([], [])
    var content: CBORMap?
    do throws(Failure) {
      content = try perform(request)
      if spec.protocolVersion == 1 { content?["rc"] = 0 }
    } catch {
      content = errorMap(error, for: request)
    }
    let answers = content.map { [UpdateEffect.send(response(to: request, $0), from: FirmwareUUID.smp)] } ?? []
    return before + answers + after
  }

  private func errorMap(_ failure: Failure, for request: SMPMessage) -> CBORMap {
    var map: CBORMap = [:]
    if spec.protocolVersion == 2, request.version > 0, let group = failure.group {
      map["err"] = ["group": CBORValue(Int(group)), "rc": CBORValue(failure.code)]
    } else {
      map["rc"] = CBORValue(failure.group == nil ? failure.code : Self.plain(failure))
    }
    if let offset = failure.offset { map["off"] = CBORValue(offset) }
    return map
  }

  /// Returns the error of SMP that stands for one of a group, for centrals that know only those.
  private static func plain(_ failure: Failure) -> Int {
    guard failure.group == 1 else { return failure.group == 8 && failure.code == 3 ? 5 : 1 }
    return switch failure.code {
    case 3, 8: 5
    case 9, 15: 2
    case 21...25, 29...31, 33: 3
    case 27: 12
    case 28, 32, 34: 6
    default: 1
    }
  }

  private func response(to request: SMPMessage, _ content: CBORMap) -> [UInt8] {
    let isSecond = spec.protocolVersion == 2 && request.version > 0
    let response = SMPMessage(
      request.operation.response, group: request.group, command: request.command, sequence: request.sequence,
      version: isSecond ? 1 : 0, content)
    guard spec.hasIndefiniteMaps else { return response.encoded }
    let payload = Self.indefinite(content)
    var header = Array(response.encoded.prefix(SMPMessage.headerSize))
    (header[2], header[3]) = (UInt8(payload.count >> 8 & 0xff), UInt8(payload.count & 0xff))
    return header + payload
  }

  /// Returns a map whose end is marked, as old servers send it, and the maps in it likewise.
  private static func indefinite(_ map: CBORMap) -> [UInt8] {
    var bytes: [UInt8] = [0xbf]
    for entry in map.entries {
      bytes += entry.key.encoded
      bytes += indefiniteValue(entry.value)
    }
    bytes.append(0xff)
    return bytes
  }

  private static func indefiniteValue(_ value: CBORValue) -> [UInt8] {
    switch value {
    case .map(let map): return indefinite(map)
    case .array(let elements):
      var bytes: [UInt8] = [0x9f]
      for element in elements { bytes += indefiniteValue(element) }
      bytes.append(0xff)
      return bytes
    default: return value.encoded
    }
  }

  // MARK: Groups

  /// Performs a request, and returns the content of the answer; nil for none.
  private mutating func perform(_ request: SMPMessage) throws(Failure) -> CBORMap? {
    switch request.group {
    case 0: return try performSystem(request)
    case 1: return try performImage(request)
    case 2 where spec.statistics != nil: return try statistics(request)
    case 3 where spec.settings != nil: return try performSettings(request)
    case 8 where spec.files != nil: return try performFiles(request)
    case 9 where spec.shell != nil: return try performShell(request)
    case 10: return try enumerate(request)
    case 63 where spec.settings != nil:
      guard request.command == 0, request.operation == .write else { throw .unsupported }
      settings = []
      return [:]
    default: throw .unsupported
    }
  }

  private mutating func performSystem(_ request: SMPMessage) throws(Failure) -> CBORMap? {
    let payload = request.payload
    switch (request.command, request.operation) {
    case (0, _):
      guard let text = payload["d"]?.text else { throw .invalid }
      return ["r": .text(text)]
    case (2, .read): return ["tasks": ["main": Self.task(0), "smp": Self.task(1)]]
    case (3, .read): return ["net_buf": ["blksiz": 384, "nblks": 4, "nfree": 3, "min": 1]]
    case (4, .read):
      guard let date else { throw Failure(4, group: 0) }
      return ["datetime": .text(date)]
    case (4, .write):
      guard let text = payload["datetime"]?.text, text.utf8.count >= 19 else { throw .invalid }
      date = text
      return [:]
    case (5, .write):
      if spec.faults.refusesReset, payload["force"]?.flag != true { throw .busy }
      after = [.pause(Self.farewell), .restart]
      return [:]
    case (6, .read): return try parameters()
    case (7, .read): return ["output": .text(try information(payload["format"]?.text ?? "s"))]
    case (8, .read): return try bootloader(payload["query"]?.text)
    default: throw .unsupported
    }
  }

  private static func task(_ number: Int) -> CBORValue {
    [
      "prio": CBORValue(number), "tid": CBORValue(number), "state": 0, "stkuse": 412, "stksiz": 2048,
      "cswcnt": 17, "runtime": 1204,
    ]
  }

  private func parameters() throws(Failure) -> CBORMap? {
    switch spec.parameters {
    case .answered:
      ["buf_size": CBORValue(spec.bufferSize), "buf_count": CBORValue(spec.bufferCount)]
    case .unsupported: throw .unsupported
    case .silent: nil
    }
  }

  /// Returns what `uname` prints, for the letters of a format.
  private func information(_ format: String) throws(Failure) -> String {
    let known: [(letter: Character, text: String)] = [
      ("s", "Zephyr"), ("n", "simulated"), ("r", "4.1.0"), ("v", "v4.1.0"),
      ("b", "Sun Apr 12 12:34:41 2026"), ("m", "arm"), ("p", "cortex-m4"), ("i", "nrf52840dk/nrf52840"),
      ("o", "Zephyr"),
    ]
    guard format.allSatisfy({ letter in letter == "a" || known.contains { $0.letter == letter } }) else {
      throw Failure(2, group: 0)
    }
    return known.filter { format.contains("a") || format.contains($0.letter) }.map(\.text)
      .joined(separator: " ")
  }

  private func bootloader(_ query: String?) throws(Failure) -> CBORMap {
    guard spec.tellsBootloader else { throw .unsupported }
    switch query {
    case nil, "": return ["bootloader": "MCUboot"]
    case "mode":
      var map: CBORMap = ["mode": CBORValue(spec.mode.number)]
      if spec.mode == .overwrite { map["no-downgrade"] = true }
      return map
    default: throw Failure(3, group: 0)
    }
  }

  private func enumerate(_ request: SMPMessage) throws(Failure) -> CBORMap {
    let optional: [(Int, Bool)] = [
      (2, spec.statistics != nil), (3, spec.settings != nil), (8, spec.files != nil), (9, spec.shell != nil),
    ]
    var groups = [0, 1]
    groups += optional.filter(\.1).map(\.0)
    groups.append(10)
    if spec.settings != nil { groups.append(63) }
    guard request.operation == .read else { throw .unsupported }
    switch request.command {
    case 0: return ["count": CBORValue(groups.count)]
    case 1: return ["groups": .array(groups.map { CBORValue($0) })]
    case 2:
      let index = request.payload["index"]?.int ?? 0
      guard groups.indices.contains(index) else { throw Failure(3, group: 10) }
      var map: CBORMap = ["group": CBORValue(groups[index])]
      if index == groups.count - 1 { map["end"] = true }
      return map
    default: throw .unsupported
    }
  }
}

extension CBORValue {
  /// A flag, which some clients send as a number.
  var flag: Bool? { bool ?? int.map { $0 != 0 } }
}
