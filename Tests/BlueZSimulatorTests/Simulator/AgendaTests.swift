// SPDX-License-Identifier: MIT
import AsyncIO
import Testing

@testable import BlueZSimulator

@Suite struct AgendaTests {
  /// Runs `body` with an agenda on the loop and waits until it calls its argument.
  private func onLoop(
    _ body: @escaping @Sendable (Agenda, @escaping @Sendable ([Int]) -> Void) -> Void
  ) async -> [Int] {
    let result = Promise<[Int]>()
    EventLoop.simulation.submit {
      // Nothing else keeps it until it has run.
      let agenda = Unmanaged.passRetained(Agenda(loop: .simulation))
      body(agenda.takeUnretainedValue()) { result.fulfil($0) }
    }
    return await result.value
  }

  @Test func actionsRunByDeadlineThenInTheirOrder() async {
    let order = await onLoop { agenda, done in
      let seen = Recorder()
      agenda.schedule(after: .milliseconds(20)) { done(seen.numbers + [4]) }
      agenda.schedule(after: .zero) { seen.numbers.append(1) }
      agenda.schedule(after: .milliseconds(5)) { seen.numbers.append(3) }
      agenda.schedule(after: .zero) { seen.numbers.append(2) }
    }
    #expect(order == [1, 2, 3, 4])
  }

  @Test func aWithdrawnActionDoesNotRun() async {
    let order = await onLoop { agenda, done in
      let seen = Recorder()
      let token = agenda.schedule(after: .milliseconds(1)) { seen.numbers.append(1) }
      agenda.cancel(token)
      agenda.schedule(after: .milliseconds(5)) { done(seen.numbers) }
    }
    #expect(order == [])
  }

  @Test func whatAnActionSchedulesWaitsForTheNextTurn() async {
    let order = await onLoop { agenda, done in
      let seen = Recorder()
      agenda.schedule(after: .zero) {
        seen.numbers.append(1)
        agenda.schedule(after: .zero) { done(seen.numbers + [3]) }
      }
      agenda.schedule(after: .zero) { seen.numbers.append(2) }
    }
    #expect(order == [1, 2, 3])
  }

  @Test func aPausedAgendaCatchesUp() async {
    let order = await onLoop { agenda, done in
      let seen = Recorder()
      agenda.isPaused = true
      agenda.schedule(after: .zero) { seen.numbers.append(1) }
      agenda.schedule(after: .milliseconds(1)) { done(seen.numbers + [2]) }
      agenda.isPaused = false
    }
    #expect(order == [1, 2])
  }
}

private final class Recorder { var numbers: [Int] = [] }
