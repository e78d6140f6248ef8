// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Glibc
internal import JSON
internal import TestSupport
internal import WebModel

@testable internal import WebServer

/// A page whose every client is the fuzzer.
final class HauntedPage: Sendable {
  static let token = "0123456789abcdef"
  static let session = "fedcba9876543210"
  /// A byte that is not sent: what stands before it is sent alone.
  static let cut: UInt8 = 0xff
  /// The name of a device, which only those who know the token may read.
  private static let secret = Array("Attic 4711".utf8)

  /// Whether it asks for no token; the one that does also takes writes.
  private let isOpen: Bool
  private let hub: RecordHub
  private let port: UInt16
  /// How many values were written.
  private let writes: Lock<Int>
  /// The time for the limit of logins.
  private let time: Lock<ContinuousClock.Instant>

  init(isOpen: Bool) {
    self.isOpen = isOpen
    let (writes, time) = (Lock(0), Lock(ContinuousClock.now))
    let hub = RecordHub(capacity: 16 * 1024, epoch: "e")
    hub.take(HauntedPage.records)
    let setup = HauntedPage.setup(isOpen: isOpen)
    let writer = HauntedPage.writer(counting: writes)
    let listening = Handover<UInt16>()
    // Its tasks run on Swift's own threads: the caller, which waits for them, is none of those.
    Task {
      do {
        let attempts = LoginAttempts { time.withLock(\.self) }
        try await PageServer(hub, setup, writer: writer, attempts: attempts).run { listening.give($0) }
        preconditionFailure("the page has ended")
      } catch {
        preconditionFailure("the page has ended: \(error)")
      }
    }
    port = listening.take()
    (self.hub, self.writes, self.time) = (hub, writes, time)
  }

  private static func setup(isOpen: Bool) -> WebSetup {
    var setup = WebSetup(host: "127.0.0.1", port: 0)
    if !isOpen { (setup.token, setup.session, setup.controls) = (token, session, ["fff1"]) }
    (setup.command, setup.version) = ("listen", "1.2.3")
    return setup
  }

  /// Ends each write at once; that of an empty value fails.
  private static func writer(counting writes: Lock<Int>) -> ValueWriting {
    let made = Promise<ValueWriting>()
    let writer = ValueWriting { line in
      guard line.firstIndex(of: UInt8(ascii: "\n")) == line.count - 1,
        case .write(let write)? = WebMessage(line: line.dropLast())
      else { preconditionFailure("no line with a write: \(String(decoding: line, as: UTF8.self))") }
      writes.withLock { $0 += 1 }
      Task { await made.value.end(write.id, error: write.value.isEmpty ? "\u{7}\r\nno: \"1\"" : nil) }
    }
    made.fulfil(writer)
    return writer
  }

  private static let records = [
    #"{"event":"started","time":"2026-11-21T05:11:00Z","adapter":"hci0"}"#,
    #"{"event":"found","time":"2026-11-21T05:11:01Z","address":"C5:EA:50:00:00:01","name":"Attic 4711","rssi":-60}"#,
    #"{"event":"value","time":"2026-11-21T05:11:02Z","address":"C5:EA:50:00:00:01","name":"Attic 4711","type":"bthome","decoded":{"temperature_celsius":21.5,"battery_percent":90}}"#,
    #"{"event":"alarm","time":"2026-11-21T05:11:03Z","address":"C5:EA:50:00:00:01","name":"Attic 4711","when":"a > 1"}"#,
  ].map { Array($0.utf8) }

  // MARK: Playing

  /// Plays one connection, and checks what has come of it.
  func play(_ bytes: [UInt8]) {
    time.withLock { $0 += .seconds(61) }
    let before = writes.withLock(\.self)
    let pieces = bytes.split(separator: HauntedPage.cut).map { Array($0) }
    let answers = exchange(pieces)
    let sent = Array(pieces.joined())
    // They are in headers, and so in one piece.
    let isKnown = [HauntedPage.token, HauntedPage.session].contains { sent.firstRange(of: $0.utf8) != nil }
    for answer in answers.list {
      answer.check()
      precondition(
        isOpen || isKnown || answer.body.firstRange(of: HauntedPage.secret) == nil,
        "one without the token reads: \(answer)")
    }
    precondition(
      writes.withLock(\.self) == before || isKnown && !isOpen, "one without the token writes a value")
    // A stream notices the end of its client when it writes.
    while hub.clients > 0 {
      hub.tick(now: 0)
      sched_yield()
    }
    checkHealth()
  }

  /// Sends pieces and nothing more; returns the answers, a stream as far as a record that is taken for it.
  private func exchange(_ pieces: [[UInt8]]) -> PageAnswers {
    let connection = HTTPConnectionProbe(port: port)
    for piece in pieces { connection.sendNow(piece) }
    connection.finish()
    var mark: String?
    var (hasEnded, isReset) = (false, false)
    let bytes = connection.readNow(
      until: { bytes in
        if mark == nil, PageAnswers(bytes).isStream {
          hub.take([Array(#"{"event":"mark","time":"2026-11-21T05:12:00Z"}"#.utf8)])
          mark = "id: \(hub.name(of: hub.last))\n"
        }
        return mark.map { bytes.firstRange(of: $0.utf8) != nil } ?? false
      }, limit: .seconds(600), atEnd: { (hasEnded, isReset) = (true, $0) })
    precondition(hasEnded || mark != nil, "the page does not answer")
    let answers = PageAnswers(bytes)
    precondition(answers.isStream || answers.isWhole || isReset, "an answer ends too early")
    return answers
  }

  /// Another client is not affected.
  private func checkHealth() {
    let answers = exchange([Array("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)])
    guard answers.list.count == 1, let answer = answers.list.first, answer.status == 200,
      (try? JSONReader.read(answer.body))?["status"]?.string == "ok"
    else { preconditionFailure("the page is not well: \(answers.list)") }
    answer.check()
  }
}
