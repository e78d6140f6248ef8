// SPDX-License-Identifier: MIT
package import ValueStreams

/// A log of lines in a file.
///
/// What comes within some milliseconds is one write(2): what was written is not lost when the process is killed. Once a
/// second it is saved, so that a power cut costs a second.
package final class TextLog: OutputSink {
  package let name: String
  private let rotation: LogRotation?
  private let report: @Sendable (String) -> Void
  private var format: any TextLogFormat
  private var file: LogFile?
  private let saver: FileSaver
  private var isSaved = true
  private var bytes: [UInt8] = []

  package let interval = Duration.milliseconds(50)
  package let batchCost = 256 * 1024

  /// Opens the file, and continues it.
  ///
  /// - Parameters:
  ///   - path: where it is.
  ///   - format: what it is written in.
  ///   - rotation: when it is put aside.
  ///   - saver: makes it outlast a power cut.
  ///   - report: prints a message.
  /// - Throws: why it cannot be written, in words.
  package init(
    path: String, format: any TextLogFormat, rotation: LogRotation?,
    saver: FileSaver = FileSaver(), report: @escaping @Sendable (String) -> Void
  ) throws(OutputError) {
    name = path
    self.format = format
    self.rotation = rotation
    self.saver = saver
    self.report = report
    try open()
  }

  private func open() throws(OutputError) {
    var file = try LogFile(path: name)
    if file.size > 0, let reason = try obstacle(in: file) {
      let other = try LogShelf.putAside(file.place, isDamaged: reason.isDamage)
      report("\(name) \(reason.text): renamed it to \(other) and started a new file")
      file = try LogFile(path: name)
    }
    if file.size > 0 {
      let lost = try TextTail.mend(file.descriptor)
      if lost > 0 { report("removed \(lost) bytes from the end of \(name): its last record was incomplete") }
    }
    if file.size == 0, !format.header.isEmpty { try file.append(format.header) }
    self.file = file
  }

  /// Why a log cannot be continued, and has to make room for another.
  ///
  /// - Returns: what to report; nil for one that can be continued.
  /// - Throws: that it is no log of this kind, which is left alone.
  private func obstacle(in file: LogFile) throws(OutputError) -> (text: String, isDamage: Bool)? {
    let head = try TextHead(of: file.descriptor)
    if head.isRest(of: format.signature) {
      return ("is damaged (its first line is missing or incomplete)", true)
    }
    switch head.isWhole ? format.fit(firstLine: head.line) : .foreign {
    case .same: return nil
    case .lacks(let columns):
      return ("has no column for \(columns.joined(separator: ", "))", false)
    case .foreign: throw OutputError("it is not a log of this kind")
    }
  }

  package func write(_ events: [StreamEvent]) throws(OutputError) {
    try prepare()
    bytes.removeAll(keepingCapacity: true)
    for event in events { format.append(event, to: &bytes) }
    try file?.append(bytes)
    isSaved = false
  }

  /// Makes sure that there is a file, in its place, and not a full one.
  private func prepare() throws(OutputError) {
    if let isInPlace = file?.isInPlace, !isInPlace {
      report("\(name) was moved or deleted: continuing in a new file")
      try? save()
      file = nil
    }
    if let file, let rotation, rotation.isDue(size: file.size, begin: file.begin) {
      try? save()
      try LogShelf.putAside(file.place)
      self.file = nil
    }
    if file == nil { try open() }
  }

  package func sync() throws(OutputError) -> Bool {
    guard let file, !isSaved else { return true }
    isSaved = try saver.begin(file.descriptor)
    return isSaved
  }

  package func close() throws(OutputError) {
    defer { file = nil }
    try save()
  }

  /// Saves what is not saved yet, and waits for it.
  private func save() throws(OutputError) {
    let unsaved = isSaved ? nil : file
    isSaved = true
    try saver.finish(unsaved?.descriptor)
  }
}
