// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient
internal import Testing

@testable internal import BLEPeripheral

@Suite("Answers that come later")
struct PendingAnswerTests {
  private let loop = EventLoop.shared
  private let given = Lock<[Result<Int, ATTError>]>([])
  private let expiries = Lock(0)

  private func answer() -> PendingAnswer<Int> {
    let answer = PendingAnswer<Int>(on: loop) { outcome in given.withLock { $0.append(outcome) } }
    answer.onExpiry { expiries.withLock { $0 += 1 } }
    return answer
  }

  /// Runs something on the loop, behind what other threads have sent to it.
  private func onLoop(_ body: @escaping @Sendable () -> Void) async {
    let done = Promise<Void>()
    loop.submit {
      body()
      done.fulfil(())
    }
    await done.value
  }

  @Test("Only the first answer counts")
  func first() async {
    let answer = answer()
    #expect(answer.give(.success(1)))
    #expect(!answer.give(.failure(.invalidOffset)))
    await onLoop { answer.expire() }
    #expect(given.withLock { $0 } == [.success(1)])
    #expect(expiries.withLock { $0 } == 0)
  }

  @Test("A request that is not answered in time gets 0x0e, and the program is notified")
  func late() async {
    let answer = answer()
    await onLoop { answer.expire() }
    #expect(!answer.give(.success(1)))
    #expect(given.withLock { $0 } == [.failure(.unlikelyError)])
    #expect(expiries.withLock { $0 } == 1)
  }

  @Test("A request that bluetoothd has given up gets no answer")
  func abandoned() async {
    let answer = answer()
    await onLoop { answer.abandon() }
    #expect(!answer.give(.success(1)))
    #expect(given.withLock { $0 }.isEmpty)
    #expect(expiries.withLock { $0 } == 1)
  }
}
