// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient
internal import Glibc
internal import JSON
internal import TestSupport

@testable internal import WebServer

/// A page whose every client is the fuzzer.
final class HauntedPage: Sendable {
  static let token = "0123456789abcdef"
  /// A byte that is not sent: what stands before it is sent alone.
  static let cut: UInt8 = 0xff
  /// The name of a device, which only those who know the token may read.
  private static let secret = Array("Attic 4711".utf8)

  /// Whether it asks for no token; the one that does also takes writes.
  private let isOpen: Bool
  private let server: PageServer
  /// How many values were written.
  private let writes: Lock<Int>
  /// The time for the limit of guesses.
  private let time: Lock<ContinuousClock.Instant>
  /// The number of marks that were taken.
  private let marks = Lock(0)

  init(isOpen: Bool) {
    let (writes, time) = (Lock(0), Lock(ContinuousClock.now))
    var setup = PageSetup(host: "127.0.0.1", port: 0)
    if !isOpen { (setup.token, setup.controls) = (HauntedPage.token, ["fff1"]) }
    (setup.command, setup.version, setup.limits.records) = ("listen", "1.2.3", 16 * 1024)
    do throws(PageServer.Failure) {
      server = try PageServer(
        setup, clock: { Timestamp(seconds: 0, nanoseconds: 0) }, instant: { time.withLock(\.self) },
        write: { write, end in
          writes.withLock { $0 += 1 }
          // That of an empty value fails.
          end(write.value.isEmpty ? .failed("\u{7}\r\nno: \"1\"") : .written)
        })
    } catch {
      preconditionFailure("no page: \(error.reason)")
    }
    server.take(HauntedPage.records)
    (self.isOpen, self.writes, self.time) = (isOpen, writes, time)
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
    let isKnown = sent.firstRange(of: HauntedPage.token.utf8) != nil
    for answer in answers.list {
      answer.check()
      precondition(
        isOpen || isKnown || answer.body.firstRange(of: HauntedPage.secret) == nil,
        "one without the token reads: \(answer)")
    }
    precondition(
      writes.withLock(\.self) == before || isKnown && !isOpen, "one without the token writes a value")
    // A stream notices the end of its client when it writes.
    while server.clients > 0 {
      server.tick()
      sched_yield()
    }
    checkHealth()
  }

  /// Sends pieces and nothing more; returns the answers, a stream as far as a record that is taken for it.
  private func exchange(_ pieces: [[UInt8]]) -> PageAnswers {
    let connection = HTTPConnectionProbe(port: server.port)
    let hasHeads = Array(pieces.joined()).firstRange(of: "HEAD ".utf8) != nil
    for piece in pieces { connection.sendNow(piece) }
    connection.finish()
    var mark: String?
    var (hasEnded, isReset) = (false, false)
    let bytes = connection.readNow(
      until: { bytes in
        if mark == nil, PageAnswers(bytes, hasHeads: hasHeads).isStream {
          let number = marks.withLock { count in
            count += 1
            return count
          }
          server.take([Array(#"{"event":"mark","time":"2026-11-21T05:12:00Z"}"#.utf8)])
          // Seconds 0, and the place behind the records and the marks.
          mark = "id: 00-\(HauntedPage.records.count + number)\n"
        }
        return mark.map { bytes.firstRange(of: $0.utf8) != nil } ?? false
      }, limit: .seconds(600), atEnd: { (hasEnded, isReset) = (true, $0) })
    precondition(hasEnded || mark != nil, "the page does not answer")
    let answers = PageAnswers(bytes, hasHeads: hasHeads)
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
