// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Glibc
internal import JSON
internal import TestSupport

@testable internal import BLECentral
@testable internal import BlectlCommands
@testable internal import DBus
@testable internal import TerminalOutput
@testable internal import ValueStreams

/// Any bytes on a socket, in any pieces, with descriptors or without.
enum MessageStream {
  /// Reads what some bytes say until the stream ends; no descriptor is left open.
  static func play(_ feeder: inout ByteFeeder) {
    let before = freeDescriptor()
    playOnce(&feeder)
    precondition(freeDescriptor() == before, "a descriptor was left open")
  }

  private static func playOnce(_ feeder: inout ByteFeeder) {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else { return }
    defer { for end in ends { close(end) } }
    var reader = MessageReader(ends[0])
    var held: [Message] = []
    while !feeder.isEmpty {
      var sender = MessageSender(ends[1])
      let choice = feeder.byte()
      if choice < 0x60 {
        // A message of ours, whole, with as many descriptors as it says.
        sender.add(
          Message(signal: "X", of: "a.b", at: "/") { writer in
            for _ in 0..<choice % 4 { writer.descriptor(ends[0]) }
            writer.value(feeder.anyValue(depth: 0))
          })
        _ = sender.flush()
      } else {
        var bytes = feeder.raw(Int(choice & 0x1f) * 8 + 1)
        if choice < 0xa0 {
          var delivery = feeder.delivery()
          feeder.distort(&delivery)
          bytes = delivery.bytes
        }
        _ = send(ends[1], bytes, bytes.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
      }
      guard read(&reader, &held) else { return }
    }
  }

  /// One turn; false when the stream has ended.
  private static func read(_ reader: inout MessageReader, _ held: inout [Message]) -> Bool {
    let outcome = reader.read()
    do {
      while let message = try reader.next() {
        _ = message.traceDescription
        _ = DBusError(reply: message).description
        if let descriptor = message.takeDescriptor(at: 0) { precondition(descriptor.raw >= 0) }
        held.append(message)
        if held.count > 3 { held.removeFirst() }
      }
    } catch {
      return false
    }
    return outcome != .ended
  }

  private static func freeDescriptor() -> Int32 {
    let descriptor = dup(0)
    close(descriptor)
    return descriptor
  }
}

/// What people and programs would be shown of what the manager believes: all of it harmless, and well-formed.
enum Outlook {
  static func check(_ central: CentralManager, _ events: CentralEvents) async {
    // Empty when nothing has happened.
    var iterator = events.makeAsyncIterator()
    guard let batch = try? await iterator.nextBatch(until: LoopClock.now) else {
      preconditionFailure("the events have ended")
    }
    for event in batch.elements {
      let record = MonitorRecord(event: event, decoder: .plain)
      checkLine(TabSeparated.line(record.fields))
      checkJSON(record)
      if let info = record.device { await check(info, event.time, central) }
    }
    for adapter in await central.adapters { checkJSON(AdapterRecord(adapter: adapter)) }
    let known = (try? await central.knownPeripherals()) ?? []
    for info in known { await check(info, Timestamp(seconds: 0, nanoseconds: 0), central) }
  }

  private static func check(_ info: PeripheralInfo, _ time: Timestamp, _ central: CentralManager) async {
    let event = ScanEvent(kind: .advertised, DeviceSighting(info, at: time))
    var lines = ScanLines(isJSON: false, pathLoss: PathLoss(), decoder: .plain)
    let line = String(validating: lines.line(of: event) ?? [], as: UTF8.self)
    precondition(line?.last == "\n")
    checkLine(String((line ?? "").dropLast()))
    let json = ScanLines(isJSON: true, pathLoss: PathLoss(), decoder: .plain)
    precondition((try? JSONReader.read(json.logged(event).line)) != nil, "not JSON")
    for line in DeviceFacts.lines(info, .plain, width: 40, style: .plain) { checkLine(line) }
    for fact in DeviceFacts.list(info, .plain) { checkLine(TabSeparated.line([fact.name, fact.value])) }
    let entries = [ScanBoard.Entry(id: info.peripheral.id, info: info, arrival: 0)]
    for row in ScanTable.table(entries, at: 0, SignalPicture(), PathLoss(), .plain).rows {
      checkLine(TabSeparated.line(row.map(\.text)))
    }
    let services = await central.services(ofPath: info.peripheral.path)
    let tree = TreeRecord(info: info, services: services, values: TreeValues())
    checkJSON(tree)
    for line in TreeText.records(tree) + TreeText.lines(tree, width: 80, style: Style(isEnabled: false)) {
      checkLine(line)
    }
  }

  private static func checkJSON(_ record: some Record) {
    var json = JSONWriter()
    json.object { record.write(to: &$0) }
    let text = String(validating: json.bytes, as: UTF8.self) ?? "\u{1b}"
    checkLine(text)
    precondition((try? JSONReader.read(text.utf8)) != nil, "not JSON: \(text)")
  }

  /// One line, of harmless characters; tabs are between fields.
  private static func checkLine(_ line: String) {
    for scalar in line.unicodeScalars where scalar.isHarmfulToTerminals {
      precondition(
        scalar == "\t" || scalar == "\u{200d}" || scalar == "\u{fe0f}", "harmful: \(line.debugDescription)")
    }
  }
}

extension CentralManager {
  fileprivate func services(ofPath path: String) -> [GATTService] {
    GATTTree(model: core.client.model).services(of: path)
  }
}
