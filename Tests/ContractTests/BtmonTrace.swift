// SPDX-License-Identifier: MIT
internal import TestSupport

/// What btmon shows of the commands and events of the rig's controllers: a witness that shares nothing with blectl.
struct BtmonTrace {
  /// A command of the kernel or of a program, or an event of a controller.
  struct Packet {
    let isEvent: Bool
    /// Such as `Read RSSI`, both of the command and of the event that answers it.
    fileprivate(set) var name: String
    fileprivate(set) var fields: [String: String] = [:]

    /// The value of a field without its code: `LE 2M` of `TX PHY: LE 2M (0x02)`.
    subscript(field: String) -> String? { fields[field].map(BtmonTrace.withoutCode) }

    /// The number that a field begins with, in the unit that btmon shows: 15 of `Connection interval: 15.00 msec (0x000c)`.
    func number(_ field: String) -> Double? {
      fields[field]?.split(separator: " ").first.flatMap { Double($0) }
    }

    var isSuccess: Bool { self["Status"] == "Success" }
  }

  let packets: [Packet]

  /// Records while `body` runs.
  static func during<Outcome>(
    _ body: () async throws -> Outcome
  ) async throws -> (Outcome, BtmonTrace) {
    let btmon = try ToolRun("/usr/bin/env", ["rig-btmon"], input: nil)
    let isRecording = await btmon.waitForLines(1)
    let outcome: Result<Outcome, any Error>
    do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
    btmon.send(input: [])
    let shown = await btmon.result()
    let result = try outcome.get()
    guard isRecording, shown.status == 0 else { throw Broken(words: shown.errorText) }
    return (result, BtmonTrace(shown.lines))
  }

  struct Broken: Error {
    let words: String
  }

  /// Parses what btmon prints: a line for each packet, which is not indented, and lines of it.
  init(_ lines: [String]) {
    var packets: [Packet] = []
    // Of a line such as "= Open Index: …", which begins no packet.
    var isForeign = true
    for line in lines {
      if let packet = Self.packet(line) {
        packets.append(packet)
        isForeign = false
      } else if line.first != " " {
        isForeign = true
      } else if !isForeign, let last = packets.indices.last {
        Self.add(line, to: &packets[last])
      }
    }
    self.packets = packets
  }

  private static func packet(_ line: String) -> Packet? {
    for (start, isEvent) in [("> HCI Event: ", true), ("< HCI Command: ", false)] where line.hasPrefix(start)
    {
      return Packet(isEvent: isEvent, name: withoutCode(String(line.dropFirst(start.count))))
    }
    return nil
  }

  /// The indentation of the name of the event within an event, or of the command that an event answers.
  private static let innerName = 6

  private static func add(_ line: String, to packet: inout Packet) {
    let text = line.drop { $0 == " " }
    let parts = text.split(separator: ":", maxSplits: 1)
    if line.count - text.count == innerName {
      packet.name = withoutCode(String(text))
    } else if parts.count == 2, packet.fields[String(parts[0])] == nil {
      packet.fields[String(parts[0])] = String(parts[1].drop { $0 == " " })
    }
  }

  private static func withoutCode(_ text: String) -> String {
    text.firstRange(of: " (").map { String(text[..<$0.lowerBound]) } ?? text
  }

  // MARK: Looking

  /// The last event of these names that reports a success.
  func success(_ names: String...) -> Packet? {
    packets.last { $0.isEvent && names.contains($0.name) && $0.isSuccess }
  }

  /// The last event of a name, be it a success or not.
  func event(_ name: String) -> Packet? { packets.last { $0.isEvent && $0.name == name } }

  /// The last command of a name.
  func command(_ name: String) -> Packet? { packets.last { !$0.isEvent && $0.name == name } }
}
