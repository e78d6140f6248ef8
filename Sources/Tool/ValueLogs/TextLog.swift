// SPDX-License-Identifier: MIT
package import BLECentral
internal import Glibc
package import TerminalOutput
package import ValueStreams

/// A log of lines in a file.
///
/// The events of some milliseconds are one write(2): written records survive a killed process. The file is
/// saved once a second, so that a power cut costs a second.
package final class TextLog: OutputSink {
  package let name: String
  private let rotation: LogRotation?
  private let report: @Sendable (String) -> Void
  private var format: any TextLogFormat
  private var file: LogFile?
  private let saver: FileSaver
  private let now: @Sendable () -> Timestamp
  /// The record that the log was not written for some time, until it is written.
  private var away: StreamEvent?
  private var isSaved = true
  /// The error from a failed save, which the kernel reports only once.
  ///
  /// That data may be lost.
  private var failure: OutputError?
  private var bytes: [UInt8] = []

  package let interval = Duration.milliseconds(50)
  package let batchCost = 256 * 1024

  /// Opens the file and continues it.
  ///
  /// - Parameters:
  ///   - path: its path.
  ///   - format: that of its lines.
  ///   - rotation: when a new file begins; nil for never.
  ///   - recordsAbsence: true to begin with a record of the time since an earlier command has written to it.
  ///   - saver: makes it survive a power cut.
  ///   - now: the clock.
  ///   - report: prints a message.
  /// - Throws: why it cannot be opened or continued.
  package init(
    path: String, format: any TextLogFormat, rotation: LogRotation?, recordsAbsence: Bool = false,
    saver: FileSaver = FileSaver(), now: @escaping @Sendable () -> Timestamp = { .now },
    report: @escaping @Sendable (String) -> Void
  ) throws(OutputError) {
    name = path
    self.format = format
    self.rotation = rotation
    self.saver = saver
    self.now = now
    self.report = report
    try open(recordsAbsence: recordsAbsence)
  }

  /// A larger log without a column is put aside: writing it again would take too long.
  private static let mostRewritten = 8 << 20

  private func open(recordsAbsence: Bool = false) throws(OutputError) {
    var file = try LogFile(path: name, now: now())
    if recordsAbsence, file.size > format.header.count {
      away = .reception(ReceptionRecord(away: file.begin, until: now()))
    }
    if file.size > 0, let reason = try obstacle(in: file) {
      if !reason.isDamage, file.size <= TextLog.mostRewritten, try grow(file) {
        file = try LogFile(path: name, now: now(), begin: file.begin)
      } else if reason.isDamage || file.size > reason.headerSize {
        let other = try LogRotation.putAside(file.destination, at: now(), isDamaged: reason.isDamage)
        report("\(name) \(reason.text): renamed it to \(other) and started a new file")
        file = try LogFile(path: name, now: now())
      } else {
        try file.empty()
      }
    }
    if file.size > 0 { try mend(file) }
    if file.size == 0, !format.header.isEmpty { try file.append(format.header) }
    self.file = file
  }

  private func mend(_ file: LogFile) throws(OutputError) {
    let lost = try TextTail.mend(file.descriptor)
    if lost > 0 { report("removed \(lost) bytes from the end of \(name): its last record was incomplete") }
  }

  /// The report about a log that must be put aside because it cannot be continued; throws for another file.
  private func obstacle(
    in file: LogFile
  ) throws(OutputError) -> (text: String, isDamage: Bool, headerSize: Int)? {
    let head = try TextHead(of: file.descriptor)
    if head.isRest(of: format.signature) {
      return ("is damaged (its first line is missing or incomplete)", true, 0)
    }
    switch head.isWhole ? format.fit(firstLine: head.line) : .foreign {
    case .same: return nil
    case .lacks(let columns):
      return ("has no column for \(columns.joined(separator: ", "))", false, head.size)
    case .foreign: throw OutputError("it is not a log of this kind")
    }
  }

  /// Writes a log that lacks columns again with them; returns false if its format does not allow that.
  private func grow(_ file: LogFile) throws(OutputError) -> Bool {
    try mend(file)
    let bytes = try LogFile.read(file.descriptor, 0..<file.size)
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast().map {
      Array($0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0)
    }
    guard let first = lines.first, let row = format.grow(from: first) else { return false }
    var grown = format.header
    let end = grown.suffix(2)
    for line in lines.dropFirst() { grown += row(line) + end }
    try file.destination.replace(by: grown, like: file.descriptor)
    return true
  }

  package func write(_ events: [StreamEvent]) throws(OutputError) {
    // When it is reopened, the file is compared with the new columns.
    if format.widen(for: events) { closeFile() }
    try prepare()
    bytes.removeAll(keepingCapacity: true)
    // Another program may have emptied it, as logrotate does with copytruncate.
    if file?.size == 0 { bytes += format.header }
    if let away { format.append(away, to: &bytes) }
    for event in events { format.append(event, to: &bytes) }
    try file?.append(bytes)
    away = nil
    isSaved = false
  }

  /// Ensures that there is a file, in its place, and not full.
  private func prepare() throws(OutputError) {
    if let isInPlace = file?.isInPlace, !isInPlace {
      report("\(name) was moved or deleted: continuing in a new file")
      closeFile()
    }
    if let file, let rotation, file.isDue(for: rotation, size: file.size, now: now()) {
      save()
      try LogRotation.putAside(file.destination, at: now())
      self.file = nil
    }
    if file == nil { try open() }
  }

  /// Closes the file; the next write reopens or restarts it.
  private func closeFile() {
    save()
    file = nil
  }

  package func sync() throws(OutputError) -> Bool {
    guard let file, !isSaved else { return true }
    do throws(OutputError) {
      isSaved = try saver.begin(file.descriptor)
    } catch {
      failure = failure ?? error
      throw error
    }
    return isSaved
  }

  package func close() throws(OutputError) {
    closeFile()
    if let failure { throw failure }
  }

  /// Saves unsaved data, and waits for it.
  private func save() {
    let unsaved = isSaved ? nil : file
    isSaved = true
    do throws(OutputError) { try saver.finish(unsaved?.descriptor) } catch { failure = failure ?? error }
  }
}

/// The format of a log of lines.
package protocol TextLogFormat {
  /// The first line of a file; empty if it begins with a record.
  var header: [UInt8] { get }
  /// The start of any such file, whatever its contents.
  var signature: [UInt8] { get }
  /// Returns whether a file that begins with this line can be continued; the format adapts to one that can.
  mutating func fit(firstLine: [UInt8]) -> LogFit
  /// Adds columns for the events; returns whether the header changed.
  mutating func widen(for events: [StreamEvent]) -> Bool
  /// Adapts to a file that begins with this line, and lacks columns; returns what makes a row of it one with all columns, or
  /// nil if the file stays as it is.
  mutating func grow(from firstLine: [UInt8]) -> (([UInt8]) -> [UInt8])?
  mutating func append(_ event: StreamEvent, to bytes: inout [UInt8])
}

extension TextLogFormat {
  package mutating func widen(for events: [StreamEvent]) -> Bool { false }
  package mutating func grow(from firstLine: [UInt8]) -> (([UInt8]) -> [UInt8])? { nil }
}

/// The fit of an existing file to a log.
package enum LogFit: Equatable {
  /// It can be continued.
  case same
  /// It is such a log, but lacks these columns for some of the values.
  case lacks([String])
  case foreign
}

/// The start of a log of lines, where a power cut may have left a partial line, or zeros.
struct TextHead {
  /// The first line without its end, or its rest.
  let line: [UInt8]
  /// True if the line has its end.
  let isWhole: Bool
  /// Its bytes, including its end.
  let size: Int
  /// True if the file begins with nothing but zeros.
  private let isZero: Bool

  /// No first line is longer.
  private static let window = 65_536
  /// The smallest block that a file system leaves as zeros.
  private static let block = 512

  /// The file must not be empty.
  init(of descriptor: Int32) throws(OutputError) {
    let head = try LogFile.read(descriptor, 0..<TextHead.window)
    let end = head.firstIndex { $0 == UInt8(ascii: "\n") || $0 == 0 } ?? head.endIndex
    isWhole = end < head.endIndex && head[end] != 0
    size = isWhole ? end + 1 : end
    isZero = head.prefix(TextHead.block).allSatisfy { $0 == 0 }
    line = Array(head[..<end].last == UInt8(ascii: "\r") ? head[..<end].dropLast() : head[..<end])
  }

  /// Returns whether this is the rest of a file that began like this, after a power cut.
  func isRest(of signature: [UInt8]) -> Bool {
    if isWhole { return false }
    return line.isEmpty ? isZero : line.starts(with: signature) || signature.starts(with: line)
  }
}

/// The end of a log of lines, where a crash may have left a partial record, and a power cut zeros.
///
/// See ``TextHead`` for the start of the file.
enum TextTail {
  /// The number of bytes at the end that are searched for zeros: more than come in the second between two
  /// saves.
  private static let window = 1 << 20

  /// Cuts off a partial record of a file open for reading and writing; returns the number of bytes cut off.
  static func mend(_ descriptor: Int32) throws(OutputError) -> Int {
    guard let status = LogFile.status(of: descriptor) else { throw OutputError(errno: errno) }
    let size = Int(status.st_size)
    var start = max(0, size - window)
    var tail = try LogFile.read(descriptor, start..<size)
    if let zero = tail.firstIndex(of: 0) { tail.removeSubrange(zero...) }
    var end = tail.lastIndex(of: newline).map { start + $0 + 1 }
    // If a line is longer than the window, or it is full of zeros, the search continues to the front.
    while end == nil, start > 0 {
      let upper = start
      start = max(0, start - window)
      var part = try LogFile.read(descriptor, start..<upper)
      if let zero = part.firstIndex(of: 0) { part.removeSubrange(zero...) }
      end = part.lastIndex(of: newline).map { start + $0 + 1 }
    }
    let length = end ?? 0
    guard length < size else { return 0 }
    guard ftruncate(descriptor, off_t(length)) == 0 else { throw OutputError(errno: errno) }
    return size - length
  }

  private static let newline = UInt8(ascii: "\n")
}

/// Writes the lines of a log to the output, for a program that reads them.
package final class LineOutput: ConsoleSink {
  package let console: Console
  private var format: any TextLogFormat

  package init(_ console: Console, format: any TextLogFormat) {
    self.console = console
    self.format = format
  }

  package func append(_ events: [StreamEvent], to bytes: inout [UInt8]) {
    for event in events { format.append(event, to: &bytes) }
  }
}

/// A log of the records of `--json`, byte for byte.
extension EventJSON: TextLogFormat {
  package var header: [UInt8] { [] }

  package var signature: [UInt8] { Array("{\"event\":".utf8) }

  package func fit(firstLine: [UInt8]) -> LogFit { firstLine.starts(with: signature) ? .same : .foreign }
}
