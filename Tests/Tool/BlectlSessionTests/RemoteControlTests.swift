// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import AsyncIO
@testable import BLECentral
@testable import BlectlArguments
@testable import BlectlSession
@testable import ValueStreams

@Suite("Requests of others")
struct RemoteControlTests {
  private static let context = CommandContext(
    options: GlobalOptions(), loop: .shared, console: CapturedConsole().console())

  /// What an access answers, in the order of the answers.
  private final class Answers: Sendable {
    private let texts = Lock<[String]>([])
    private let end = Promise<Void>()
    private let count: Int

    init(_ count: Int) { self.count = count }

    func add(_ outcome: RemoteOutcome) {
      let isLast = texts.withLock { texts in
        texts.append(outcome.problem ?? "done")
        return texts.count == count
      }
      if isLast { end.fulfil(()) }
    }

    var all: [String] {
      get async {
        await end.value
        return texts.withLock { $0 }
      }
    }
  }

  private static func access(_ remote: RemoteControl) throws -> ControlAccess {
    ControlAccess("--mqtt-control", [try CharacteristicArgument(parsing: "2a39")], to: remote)
  }

  @Test("Without a link, or a device at all, nothing happens, and the answer says so")
  func noLink() async throws {
    let access = try Self.access(RemoteControl(in: Self.context))
    let answers = Answers(2)
    access.perform(RemoteRequest(.write("01"), "2a39", of: "nobody"), answers.add)
    access.perform(RemoteRequest(.read, "2a39", of: "F0:F1:F2:F3:F4:F5"), answers.add)
    #expect(
      await answers.all == ["nobody is no address of a device", "there is no link to F0:F1:F2:F3:F4:F5"])
  }

  @Test("A thousand requests wait for a device; one more is refused, and each has one answer")
  func overflow() async throws {
    let access = try Self.access(RemoteControl(in: Self.context))
    let answers = Answers(1002)
    // On the loop, so that it serves none of them meanwhile.
    await Task(executorPreference: EventLoop.shared) {
      for _ in 0..<1002 {
        access.perform(RemoteRequest(.read, "2a39", of: "F0:F1:F2:F3:F4:F5"), answers.add)
      }
    }.value
    let all = await answers.all
    #expect(
      Array(all.prefix(2)) == Array(repeating: "1000 requests for F0:F1:F2:F3:F4:F5 wait already", count: 2))
    #expect(all.dropFirst(2).allSatisfy { $0 == "there is no link to F0:F1:F2:F3:F4:F5" })
  }

  @Test("At the end of the command, what waits has not happened, and nothing is begun any more")
  func end() async throws {
    let remote = RemoteControl(in: Self.context)
    let access = try Self.access(remote)
    let answers = Answers(4)
    await Task(executorPreference: EventLoop.shared) {
      for _ in 0..<3 {
        access.perform(RemoteRequest(.write("01"), "2a39", of: "F0:F1:F2:F3:F4:F5"), answers.add)
      }
      remote.close()
      access.perform(RemoteRequest(.write("01"), "2a39", of: "F0:F1:F2:F3:F4:F5"), answers.add)
    }.value
    #expect(await answers.all == Array(repeating: "blectl is ending", count: 4))
  }
}
