// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import DBus
internal import JSON

@testable internal import BLECentral
@testable internal import BlectlCommands
@testable internal import TerminalOutput

/// What people and programs would be shown of what the manager believes: all of it harmless, and well-formed.
enum Outlook {
  static func check(_ central: CentralManager, _ events: CentralEvents) async {
    // Empty when nothing has happened.
    events.source.channel.nudge()
    var iterator = events.makeAsyncIterator()
    guard let batch = try? await iterator.nextBatch() else { preconditionFailure("the events have ended") }
    for event in batch.elements {
      let record = MonitorRecord(event: event)
      checkLine(TabSeparated.line(record.fields))
      checkJSON(record)
      if let info = record.device { await check(info, event.time, central) }
    }
    for adapter in await central.adapters { checkJSON(AdapterRecord(adapter: adapter)) }
    let known = (try? await central.knownPeripherals()) ?? []
    for info in known { await check(info, Timestamp(seconds: 0, nanoseconds: 0), central) }
  }

  private static func check(_ info: PeripheralInfo, _ time: Timestamp, _ central: CentralManager) async {
    let event = ScanEvent(kind: .advertised, time: time, info: info)
    var lines = ScanLines(isJSON: false, pathLoss: PathLoss())
    let line = String(validating: lines.bytes(of: [event]), as: UTF8.self)
    precondition(line?.last == "\n")
    checkLine(String((line ?? "").dropLast()))
    var json = ScanLines(isJSON: true, pathLoss: PathLoss())
    precondition((try? JSONReader.read(json.bytes(of: [event]))) != nil, "not JSON")
    for line in DeviceFacts.lines(info, width: 40, style: .plain) { checkLine(line) }
    for fact in DeviceFacts.list(info) { checkLine(TabSeparated.line([fact.name, fact.value])) }
    let entries = [ScanBoard.Entry(id: info.peripheral.id, info: info, arrival: 0)]
    for row in ScanTable.table(entries, at: 0, SignalPicture(), PathLoss()).rows {
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
  fileprivate func services(ofPath path: String) -> [GATTService] { tree(of: path) }
}
