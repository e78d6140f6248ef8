// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Glibc

/// The streams of a command: data goes to the output, everything else to the errors.
///
/// Data goes straight to `write(2)`: a record is in the pipe when the call returns, and a missing reader is
/// noticed (which `print` hides). Text for people never waits for its reader: see ``flush()``. The process
/// must ignore SIGPIPE.
package final class Console: Sendable {
  /// Standard output: data, nothing else.
  package let output: ConsoleStream

  /// Standard error: progress, prompts, warnings.
  package let errors: ConsoleStream

  /// The messages that wait while a ``LiveView`` has the terminal.
  private let held = Lock<HeldNotes?>(nil)

  private let progress = Lock(ProgressState())

  init(output: ConsoleStream, errors: ConsoleStream) {
    self.output = output
    self.errors = errors
  }

  /// The console of this process; for `waitLimit` see ``DescriptorWriter/waitLimit``.
  package convenience init(
    color: ColorMode, environment: @escaping @Sendable (String) -> String? = Console.environment,
    waitLimit: @escaping @Sendable () -> Int?
  ) {
    func stream(
      _ descriptor: Int32, readiness: @escaping @Sendable () -> Bool,
      completion: @escaping @Sendable () -> Void = {},
      sink: @escaping @Sendable (UnsafeRawBufferPointer) throws(ConsoleError) -> Void
    ) -> ConsoleStream {
      let isTerminal = isatty(descriptor) == 1
      return ConsoleStream(
        isTerminal: isTerminal,
        isColored: color.isColored(isTerminal: isTerminal, environment: environment),
        size: { TerminalSize(descriptor: descriptor, environment: environment) },
        readiness: readiness, availability: { TerminalRestorer.claim() }, completion: completion, sink: sink)
    }
    let data = DescriptorWriter(descriptor: STDOUT_FILENO, waitLimit: waitLimit)
    let notes = QueuedWriter(DescriptorWriter(descriptor: STDERR_FILENO, waitLimit: waitLimit))
    self.init(
      output: stream(STDOUT_FILENO, readiness: { data.waitUntilWritable(0) }) { bytes throws(ConsoleError) in
        try data.writeAll(bytes)
      },
      errors: stream(STDERR_FILENO, readiness: { notes.isReady }, completion: { notes.flush() }) {
        bytes throws(ConsoleError) in try notes.write(bytes)
      })
  }

  /// A console that writes data to standard error too: standard output belongs to another program.
  package var onErrors: Console { Console(output: errors, errors: errors) }

  @Sendable package static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  /// Writes a line of data, with a newline.
  package func write(line: String) throws(ConsoleError) {
    try write(bytes: Self.joined(CollectionOfOne(line)))
  }

  /// Writes lines of data, in one system call if the system takes them all.
  package func write(lines: [String]) throws(ConsoleError) {
    try write(bytes: Self.joined(lines))
  }

  /// Writes data as it is: raw values, and records that end with their own newline.
  package func write(bytes: [UInt8]) throws(ConsoleError) {
    guard !bytes.isEmpty else { return }
    guard output.isTerminal, errors.isTerminal else { return try Self.write(bytes, to: output) }
    let clear = progress.withLock { $0.beginWriting() }
    defer { progress.withLock { $0.endWriting() } }
    try Self.write(clear + bytes, to: output)
  }

  /// Prints a line for a person on standard error, without waiting for a reader; on a terminal, breaks it between words.
  ///
  /// Lines wait in memory, up to 256 KiB; further ones are left out, and counted.
  package func note(_ line: String) {
    let isHeld = held.withLock { held in
      held?.add(line)
      return held != nil
    }
    if !isHeld { draw(Self.joined(fitting(CollectionOfOne(line)))) }
  }

  /// Prints a warning, or an error that does not end the command, on standard error.
  @Sendable package func warn(_ text: String) { note("blectl: " + TerminalSafe.escaped(text)) }

  /// Waits until the notes are written; call before the process ends.
  package func flush() { errors.flush() }

  /// Holds notes from now on, because a view would overwrite them.
  func holdNotes() {
    if errors.isTerminal { held.withLock { $0 = $0 ?? HeldNotes() } }
  }

  func releaseNotes() {
    let notes = held.withLock { held in
      defer { held = nil }
      return held?.all ?? []
    }
    if !notes.isEmpty { draw(Self.joined(fitting(notes))) }
  }

  /// Returns notes in lines that fit the terminal, if there is one.
  private func fitting(_ notes: some Collection<String>) -> [String] {
    let width = errors.size?.columns
    return notes.flatMap { note in
      TextWrap.lines(note, width: width, hanging: note.prefix { $0 == " " }.count + 2)
    }
  }

  package var newestHeldNote: String? { held.withLock { $0?.lines.last } }

  /// True if a view that changes has the terminal.
  package var holdsNotes: Bool { held.withLock { $0 != nil } }

  /// Sends bytes to standard error as they are, in place of a progress line.
  package func draw(_ bytes: [UInt8]) {
    let clear = progress.withLock { $0.beginWriting() }
    defer { progress.withLock { $0.endWriting() } }
    try? Self.write(clear + bytes, to: errors)
  }

  /// Draws a progress line, which the next output removes, unless output is being written.
  package func draw(progress line: String) {
    guard progress.withLock({ $0.beginDrawing() }) else { return }
    try? Self.write(Array(line.utf8), to: errors)
    progress.withLock { $0.endDrawing() }
  }

  package func clearProgress() {
    if progress.withLock({ $0.isDrawn }) { draw([]) }
  }

  private static func write(_ bytes: [UInt8], to stream: ConsoleStream) throws(ConsoleError) {
    try bytes.withUnsafeBufferPointer { bytes throws(ConsoleError) in
      try stream.write(UnsafeRawBufferPointer(bytes))
    }
  }

  private static func joined(_ lines: some Sequence<String>) -> [UInt8] {
    var bytes: [UInt8] = []
    for line in lines {
      bytes.append(contentsOf: line.utf8)
      bytes.append(UInt8(ascii: "\n"))
    }
    return bytes
  }
}

/// An error that prevents further writing to an output.
package enum ConsoleError: Error, Sendable, Hashable {
  /// The reader went away (`blectl scan head -1`): stop quietly, as SIGPIPE would.
  case closed
  /// A signal requested the end of the process, and the reader takes nothing meanwhile.
  case interrupted
  /// The system refused; for instance, the disk is full.
  case failed(errno: Int32)
}

extension ConsoleError: CustomStringConvertible {
  /// The reason as the system words it.
  package var description: String {
    switch self {
    case .closed: "the reader has closed the pipe"
    case .interrupted: "the reader does not read"
    case .failed(let number): String(cString: strerror(number))
    }
  }
}

extension Console {
  /// A console that discards data and still prints notes.
  package var muted: Console {
    Console(output: ConsoleStream(isTerminal: false) { _ throws(ConsoleError) in }, errors: errors)
  }

  /// A console whose terminal streams go to `sink`, which also draws on the terminal.
  package func redirected(to sink: @escaping @Sendable ([UInt8]) -> Void) -> Console {
    Console(
      output: output.isTerminal ? output.redirected(to: sink) : output,
      errors: errors.isTerminal ? errors.redirected(to: sink) : errors)
  }

  /// A console that begins each line of data or notes with a prefix; not a terminal, so nothing draws on it.
  package func prefixed(output: String, errors: String) -> Console {
    Console(
      output: self.output.prefixed(Array(output.utf8)), errors: self.errors.prefixed(Array(errors.utf8)))
  }
}

extension ConsoleStream {
  fileprivate func prefixed(_ prefix: [UInt8]) -> ConsoleStream {
    ConsoleStream(isTerminal: false) { bytes throws(ConsoleError) in
      var lines: [UInt8] = []
      lines.reserveCapacity(bytes.count + prefix.count)
      var rest = bytes[...]
      while !rest.isEmpty {
        let end = rest.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? rest.endIndex
        lines += prefix
        lines += rest[..<end]
        rest = rest[end...]
      }
      var failure: ConsoleError?
      lines.withUnsafeBytes { bytes in
        do throws(ConsoleError) { try self.write(bytes) } catch { failure = error }
      }
      if let failure { throw failure }
    }
  }
}

/// Messages for a person that wait until the terminal is free again; bounded.
struct HeldNotes: Sendable {
  /// The oldest lines beyond the limit are dropped.
  static let limit = 100

  private(set) var lines: [String] = []
  private var omitted = 0

  mutating func add(_ line: String) {
    lines.append(line)
    guard lines.count > HeldNotes.limit else { return }
    lines.removeFirst()
    omitted += 1
  }

  /// All of them, in order, and how many were left out.
  var all: [String] {
    omitted == 0 ? lines : ["(\(omitted) earlier messages are left out)"] + lines
  }
}
