// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import BLECentral
@testable import ValueLogs
@testable import ValueStreams

/// Averages, alarms and absences in every kind of log.
@Suite("Averages, alarms and absences in logs")
struct NoticeLogTests {
  private static let events = [
    SampleStream.average(), SampleStream.alarm(.alarm), SampleStream.alarm(.cleared),
    SampleStream.absence(.absent), SampleStream.absence(.returned),
    SampleStream.absence(.absent, isKnown: false),
  ]

  private func lines(_ format: some TextLogFormat) -> [String] {
    var format = format
    var bytes: [UInt8] = []
    for event in Self.events { format.append(event, to: &bytes) }
    return String(decoding: bytes, as: UTF8.self).split { $0.isNewline }.map(String.init)
  }

  @Test("JSON has their records")
  func json() {
    #expect(
      lines(EventJSON()) == [
        #"{"event":"average","time":"2026-11-21T08:00:00.000000Z","from":"2026-11-21T07:59:00.000000Z","#
          + #""address":"F0:F1:F2:F3:F4:F5","name":"Hall","service":"0000180d-0000-1000-8000-00805f9b34fb","#
          + #""characteristic":"00002a6e-0000-1000-8000-00805f9b34fb","handle":7,"count":12,"#
          + #""counts":{"temperature_celsius":11},"#
          + #""decoded":{"temperature_celsius":21.533,"minimum_temperature_celsius":21.400},"via":"signal"}"#,
        #"{"event":"alarm","time":"2026-11-21T08:00:01.000000Z","address":"F0:F1:F2:F3:F4:F5","name":"Hall","#
          + #""when":"temperature_celsius > 25, 'hot'","seconds":300.0,"decoded":{"temperature_celsius":25.10}}"#,
        #"{"event":"cleared","time":"2026-11-21T08:00:01.000000Z","address":"F0:F1:F2:F3:F4:F5","name":"Hall","#
          + #""when":"temperature_celsius > 25, 'hot'","seconds":300.0,"decoded":{"temperature_celsius":25.10}}"#,
        #"{"event":"absent","time":"2026-11-21T08:00:02.000000Z","address":"F0:F1:F2:F3:F4:F5","name":"Hall","#
          + #""last":"2026-11-21T07:50:02.000000Z","silence_seconds":600.5}"#,
        #"{"event":"returned","time":"2026-11-21T08:00:02.000000Z","address":"F0:F1:F2:F3:F4:F5","name":"Hall","#
          + #""last":"2026-11-21T07:50:02.000000Z","silence_seconds":600.5}"#,
        #"{"event":"absent","time":"2026-11-21T08:00:02.000000Z","name":"Attic","silence_seconds":600.5}"#,
      ])
  }

  @Test(
    "A table has the mean in the column of the values, the condition as the reason, and the silence as a gap")
  func table() {
    let keys = AverageRecord.keys(of: ["temperature_celsius"])
    #expect(keys == ["temperature_celsius", "minimum_temperature_celsius", "maximum_temperature_celsius"])
    let source =
      "F0:F1:F2:F3:F4:F5,0000180d-0000-1000-8000-00805f9b34fb,00002a6e-0000-1000-8000-00805f9b34fb,7"
    #expect(
      lines(CSVTable(keys: keys)) == [
        "2026-11-21T08:00:00.000000Z,average,\(source),,signal,,,12,21.533,21.400,,Hall",
        "2026-11-21T08:00:01.000000Z,alarm,F0:F1:F2:F3:F4:F5,,,,,,\"temperature_celsius > 25, 'hot'\",,,25.10,,,Hall",
        "2026-11-21T08:00:01.000000Z,cleared,F0:F1:F2:F3:F4:F5,,,,,,\"temperature_celsius > 25, 'hot'\",,,25.10,,,Hall",
        "2026-11-21T08:00:02.000000Z,absent,F0:F1:F2:F3:F4:F5,,,,,,,600.5,,,,,Hall",
        "2026-11-21T08:00:02.000000Z,returned,F0:F1:F2:F3:F4:F5,,,,,,,600.5,,,,,Hall",
        "2026-11-21T08:00:02.000000Z,absent,,,,,,,,600.5,,,,,Attic",
      ])
  }

  @Test("A database has averages among the values, and the others among the links")
  func database() throws {
    let directory = try ScratchDirectory()
    let path = directory.path + "/log.sqlite"
    let log = try SQLiteLog(path: path, rotation: nil, report: { _ in })
    try log.write(Self.events)
    log.close()
    let database = try SQLiteDatabase(path: path)
    #expect(try database.integer("SELECT count(*) FROM log WHERE via = 'average' AND value = ''") == 1)
    #expect(try database.integer("SELECT decoded ->> 'temperature_celsius' = 21.533 FROM log") == 1)
    #expect(
      try database.integer("SELECT count(*) FROM link WHERE event = 'alarm' AND reason LIKE 'temperature%'")
        == 1)
    #expect(try database.integer("SELECT count(*) FROM link WHERE event = 'cleared' AND device = 1") == 1)
    #expect(
      try database.integer(
        "SELECT count(*) FROM link WHERE event = 'absent' AND device = 1 AND gap_seconds = 600.5")
        == 1)
    #expect(try database.integer("SELECT count(*) FROM link WHERE event = 'returned'") == 1)
    #expect(
      try database.integer(
        "SELECT count(*) FROM link WHERE event = 'absent' AND device IS NULL AND reason = 'Attic'")
        == 1)
    #expect(try database.integer("SELECT count(*) FROM device WHERE name = 'Hall'") == 1)
  }

  @Test("The line protocol has the means as fields, and the others as points of the link")
  func influx() {
    let device = "address=F0:F1:F2:F3:F4:F5"
    #expect(
      lines(InfluxLines()) == [
        "bluetooth,\(device),characteristic=2a6e,name=Hall,via=average temperature_celsius=21.533,"
          + "minimum_temperature_celsius=21.400,count=12 1795248000000000000",
        "bluetooth_link,\(device),name=Hall event=\"alarm\",reason=\"temperature_celsius > 25, 'hot'\" 1795248001000000000",
        "bluetooth_link,\(device),name=Hall event=\"cleared\",reason=\"temperature_celsius > 25, 'hot'\" 1795248001000000001",
        "bluetooth_link,\(device),name=Hall event=\"absent\",gap_seconds=600.5 1795248002000000000",
        "bluetooth_link,\(device),name=Hall event=\"returned\",gap_seconds=600.5 1795248002000000001",
        "bluetooth_link,name=Attic event=\"absent\",gap_seconds=600.5 1795248002000000000",
      ])
  }

  @Test("A broker has averages with the values, and topics for alarms and absences of a device")
  func topics() {
    var records = BrokerRecords(topic: "ble")
    let topics = Self.events.flatMap { records.messages(of: $0).map(\.topic) }
    let device = "ble/F0:F1:F2:F3:F4:F5"
    #expect(
      topics == [
        "\(device)/2a6e", "\(device)/alarm", "\(device)/alarm", "\(device)/absence", "\(device)/absence",
        "ble",
      ])
  }

  @Test("The least and the greatest have the class of what was measured")
  func extremes() {
    #expect(SensorKind(key: "minimum_humidity_percent", unit: "%").deviceClass == "humidity")
    #expect(SensorKind(key: "maximum_battery_level_percent", unit: "%").deviceClass == "battery")
  }
}
