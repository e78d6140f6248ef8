// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Testing

@testable internal import CoreBluetooth

/// The end of a link while commands wait for it, or for each other.
@Suite("Ends of links in CoreBluetooth", .timeLimit(.minutes(1)))
struct LinkPipeTests {
  @Test(
    "A pipe ends whichever writes wait when its link is lost",
    arguments: [
      [LinkPipe.Kind.commandWrite, .commandWrite, .commandWrite],
      [.commandWrite, .requestWrite, .commandWrite, .requestWrite],
      [.commandWrite, .commandWrite, .other, .requestWrite],
    ])
  func ends(kinds: [LinkPipe.Kind]) async {
    let pipe = LinkPipe(on: .shared)
    let isSent = Promise<Void>()
    let executed = Lock<[Int]>([])
    for (number, kind) in kinds.enumerated() {
      pipe.add(kind) {
        executed.withLock { $0.append(number) }
        isSent.fulfil(())
        // What was sent waits until the loss of the link ends it.
        await Promise<Void>().value(ifCancelled: ())
      }
    }
    await isSent.value
    await pipe.finish()
    pipe.add(.commandWrite) { executed.withLock { $0.append(-1) } }
    pipe.add { executed.withLock { $0.append(-1) } }
    let numbers = executed.withLock { $0 }
    #expect(numbers == [0])
  }

  @Test("After the end of a link, the command under way is still answered, and no other one is begun")
  func answers() async {
    let pipe = LinkPipe(on: .shared)
    let (isBegun, answer) = (Promise<Void>(), Promise<Void>())
    let executed = Lock<[String]>([])
    pipe.add {
      isBegun.fulfil(())
      await answer.value
      executed.withLock { $0.append("answered") }
    }
    pipe.add { executed.withLock { $0.append("begun") } }
    await isBegun.value
    pipe.close()
    answer.fulfil(())
    await pipe.finish()
    let done = executed.withLock { $0 }
    #expect(done == ["answered"])
  }
}
