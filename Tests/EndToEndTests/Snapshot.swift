// SPDX-License-Identifier: MIT
internal import TestSupport
internal import Testing

/// Golden texts: what the binary prints, kept in the files of `Snapshots/`.
///
/// `BLECTL_RECORD=1` writes them again.
enum Snapshot {
  /// Compares a text with the one of this name in `Snapshots/FILE.txt`.
  static func expect(
    _ text: String, _ file: String, _ name: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let snapshots = NamedTexts("Snapshots/\(file).txt", beside: #filePath)
    if RecordedFile.isRecording {
      try snapshots.record(text, as: name)
      return
    }
    let kept = try #require(
      snapshots.all()[name], "no snapshot \(name) in \(file).txt: record it with BLECTL_RECORD=1",
      sourceLocation: sourceLocation)
    #expect(text == kept, "snapshot \(name) in \(file).txt", sourceLocation: sourceLocation)
  }

  /// A text without what differs from run to run: times, and the strength of signals, which drifts.
  static func settled(_ text: String) -> String {
    text.replacing(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z/, with: "TIME")
      .replacing(/"rssi":-\d+/, with: "\"rssi\":RSSI")
      .replacing(/"distance":[0-9.]+/, with: "\"distance\":DISTANCE")
      .replacing(/distance\t[0-9.]+ m/, with: "distance\tDISTANCE m")
      .replacing(/\t-\d\d\t/, with: "\tRSSI\t")
      .replacing(/rssi\t-\d+ dBm/, with: "rssi\tRSSI dBm")
  }
}
