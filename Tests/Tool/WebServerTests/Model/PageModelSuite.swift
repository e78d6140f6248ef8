// SPDX-License-Identifier: MIT
import JSON
import Testing

@testable import WebServer

/// The records of a model, and what the page shows of them.
protocol PageModelSuite {}

extension PageModelSuite {
  /// The address of the device in the records.
  var address: String { "C5:EA:50:00:00:01" }

  /// A model that has taken some records.
  func model(_ lines: String..., limits: PageModel.Limits = PageModel.Limits()) -> PageModel {
    var model = PageModel(limits)
    for line in lines { model.take(line) }
    return model
  }

  /// The devices on the page.
  func devices(_ model: PageModel) throws -> [JSONNode] {
    var json = JSONWriter()
    json.object { model.writeDevices(to: &$0) }
    return try #require(JSONReader.read(json.bytes)["devices"]?.elements)
  }

  /// The lines of the page.
  func series(_ model: PageModel, _ query: ValuesQuery = ValuesQuery()) throws -> [JSONNode] {
    var json = JSONWriter()
    json.object { json in
      json.array("series") { json in
        for key in model.keys(for: query) { _ = model.writeLine(key, query, to: &json) }
      }
    }
    return try #require(JSONReader.read(json.bytes)["series"]?.elements)
  }

  /// A value that the device has advertised in a second.
  func value(_ second: Int, _ celsius: String, host: String? = nil) -> String {
    let host = host.map { #""host":"\#($0)","# } ?? ""
    return
      #"{"event":"value","time":"2026-11-21T05:11:\#(second < 10 ? "0" : "")\#(second).5Z",\#(host)"address":"\#(address)","name":"Garden","type":"bthome","value":"40","decoded":{"temperature_celsius":\#(celsius),"rssi_dbm":-76},"via":"advertisement"}"#
  }

  /// A device that a scan has found, with two numbers.
  func found(_ address: Int, at seconds: Int) -> String {
    #"{"event":"found","time":"\#(1_795_000_000 + seconds)","address":"\#(address)","rssi":-55,"beacon":{"type":"x","a":1,"b":2}}"#
  }
}

extension PageModel {
  /// Takes a line that must be a record.
  mutating func take(_ line: String) {
    guard let record = PageRecord(line: Array(line.utf8)) else {
      Issue.record("not a record: \(line)")
      return
    }
    take(record)
  }
}
