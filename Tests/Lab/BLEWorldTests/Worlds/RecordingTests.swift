// SPDX-License-Identifier: MIT
import BLEFormats
import Testing

@testable import BLEWorld

@Suite("Recordings")
struct RecordingTests {
  @Test("Values of descriptors, and parts of values that were read from an offset, are not replayed")
  func wholeValues() throws {
    let log = ["", #""descriptor":"2901","#, #""offset":4,"#].enumerated().map { index, key in
      #"{"event":"value","time":"2026-04-12T12:34:41.000000Z","characteristic":"ff01",\#(key)"value":"0\#(index)"}"#
    }
    let samples = try Recording.samples(
      in: Array(log.joined(separator: "\n").utf8), of: BluetoothUUID(0xff01))
    #expect(samples.map(\.value) == [[0]])
  }
}
