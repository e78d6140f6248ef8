// SPDX-License-Identifier: MIT
import Testing

@testable import BLECentral
@testable import BlectlCommands
@testable import ValueLogs
@testable import ValueStreams

@Suite("The line protocol of InfluxDB")
struct InfluxLinesTests {
  private func lines(_ event: StreamEvent) -> [String] {
    var bytes: [UInt8] = []
    InfluxLines().append(event, to: &bytes)
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test("A value is a point with its numbers as floats, and the time in nanoseconds")
  func values() {
    #expect(
      lines(SampleStream.values([[0, 60], [0, 61]], name: "Strap")) == [
        "bluetooth,address=F0:F1:F2:F3:F4:F5,characteristic=2a37,name=Strap heart_rate_bpm=60 1795247928626505000",
        "bluetooth,address=F0:F1:F2:F3:F4:F5,characteristic=2a37,name=Strap heart_rate_bpm=61 1795247929626505000",
      ])
  }

  @Test("A list is a text, and a truth value one of InfluxDB")
  func kinds() {
    let line = lines(SampleStream.values([[0x16, 60, 0x00, 0x04]], name: "Strap")).first ?? ""
    #expect(line.contains(" heart_rate_bpm=60,rr_intervals_ms=\"[1000.0]\",sensor_contact=true 1795"))
  }

  @Test("A value without a known meaning is its digits")
  func digits() {
    let line = lines(SampleStream.values([[0xca, 0xfe]], uuid: BluetoothUUID(short: 0xffe1))).first ?? ""
    #expect(line.contains(#" value="cafe" 1795"#))
  }

  @Test("An unknown number leaves its field out, which would change its type")
  func unknown() {
    let line = lines(SampleStream.values([[0xff, 0xff]], uuid: BluetoothUUID(short: 0x2a6f))).first ?? ""
    #expect(line.contains(#" value="ffff" 1795"#))
  }

  @Test(
    "A name cannot end its tag or its line",
    arguments: [
      ("Heart Strap", "Heart\\ Strap"), ("a,b=c", "a\\,b\\=c"), ("line\nfeed", "line\\ feed"),
      ("back\\", "back/"), ("é", "é"),
    ])
  func names(_ name: String, _ tag: String) {
    let line = lines(SampleStream.values([[0, 60]], name: name)).first ?? ""
    #expect(line.contains(",name=\(tag) heart_rate_bpm=60 "))
  }

  @Test("A device without a name has no such tag, which must not be empty")
  func nameless() {
    for name in [nil, ""] {
      let line = lines(.values(SampleStream.batch([[0, 60]], of: SampleStream.origin(name: name)))).first
      #expect(line?.hasPrefix("bluetooth,address=F0:F1:F2:F3:F4:F5,characteristic=2a37 heart") == true)
    }
  }

  @Test("Gaps and drops are points of their own measurement")
  func links() {
    #expect(
      lines(SampleStream.lost("a \"reason\"\\\n")) == [
        #"bluetooth_link,address=F0:F1:F2:F3:F4:F5 event="disconnected",reason="a \"reason\"\\ " 1795247930000000000"#
      ])
    let time = Timestamp(seconds: 1, nanoseconds: 2)
    #expect(
      lines(.dropped(DroppedRecord(time: time, count: 7))) == [
        #"bluetooth_link event="dropped",count=7 1000000002"#
      ])
  }

  @Test("What centrals read and write of a served device are values too, the rest belongs to the link")
  func served() {
    #expect(
      lines(SampleStream.served(.read, [60])).first?.contains("via=read battery_level_percent=60 ") == true)
    #expect(lines(SampleStream.served(.connected)).first?.hasPrefix("bluetooth_link,address=") == true)
  }

  @Test("A log is continued, and another file is left alone")
  func fit() {
    #expect(InfluxLines().fit(firstLine: Array("bluetooth,address=x y=1 2".utf8)) == .same)
    #expect(InfluxLines().fit(firstLine: Array("cpu,host=a idle=1 2".utf8)) == .foreign)
  }
}
