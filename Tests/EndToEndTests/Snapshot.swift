// SPDX-License-Identifier: MIT
internal import TestSupport
internal import Testing

/// Golden texts: what the binary prints, kept in `Snapshots/`.
///
/// `BLECTL_RECORD=1` writes them anew.
enum Snapshot {
  private static let directory: String = {
    let here = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    return (here + ["Snapshots"]).joined(separator: "/")
  }()

  /// Compares a text with the one kept under a name.
  static func expect(_ text: String, _ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws
  {
    let path = "\(directory)/\(name).txt"
    if RecordedFile.isRecording {
      try RecordedFile.write(text, path)
      return
    }
    let kept = try #require(
      RecordedFile.read(path), "no snapshot \(name): record it with BLECTL_RECORD=1",
      sourceLocation: sourceLocation)
    #expect(text == kept, "snapshot \(name)", sourceLocation: sourceLocation)
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
