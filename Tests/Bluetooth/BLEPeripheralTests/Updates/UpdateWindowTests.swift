// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient
internal import Testing

@testable internal import BLEPeripheral

@Suite("UpdateWindow")
struct UpdateWindowTests {
  /// Sends values until there is no room.
  private func fill(_ window: UpdateWindow) -> (count: Int, roundTrips: [Int]) {
    var count = 0
    var roundTrips: [Int] = []
    while window.take() {
      count += 1
      if let covered = window.sent() { roundTrips.append(covered) }
    }
    return (count, roundTrips)
  }

  @Test("32 values find room, and round trips cover all of them")
  func capacity() {
    let filled = fill(UpdateWindow(isConfirmed: false))
    #expect(filled.count == 32)
    #expect(filled.roundTrips.reduce(0, +) == 32)
  }

  @Test("There is room again for as many as have arrived, which is reported once")
  func arrival() {
    let window = UpdateWindow(isConfirmed: false)
    _ = fill(window)
    #expect(window.arrived(8, of: window.generation))
    #expect(!window.arrived(0, of: window.generation))
    let again = fill(window)
    #expect(again.count == 8)
    #expect(again.roundTrips.reduce(0, +) == 8)
  }

  @Test("Room is announced only after an update was refused")
  func noRefusal() {
    let window = UpdateWindow(isConfirmed: false)
    #expect(window.take())
    #expect(!window.arrived(1, of: window.generation))
  }

  /// Whether a wait has ended.
  private func isOver(_ wait: Promise<Void>) async -> Bool {
    let task = Task { await wait.outcome(until: nil, on: .shared) }
    task.cancel()
    return if case .value = await task.value { true } else { false }
  }

  @Test("A wait that begins when there is room again is over at once")
  func lateWait() async {
    let window = UpdateWindow(isConfirmed: false)
    _ = fill(window)
    #expect(await !isOver(window.wait()))
    _ = window.arrived(32, of: window.generation)
    #expect(await isOver(window.wait()))
    _ = fill(window)
    #expect(await !isOver(window.wait()))
  }

  @Test("A wait that was given up is not kept, and does not take the room of the next one")
  func forgottenWait() async {
    let window = UpdateWindow(isConfirmed: true)
    _ = fill(window)
    let (forgotten, kept) = (window.wait(), window.wait())
    window.forget(forgotten)
    _ = window.arrived(1, of: window.generation)
    #expect(await !isOver(forgotten))
    #expect(await isOver(kept))
  }

  @Test("One indication is on its way at a time")
  func indications() {
    let window = UpdateWindow(isConfirmed: true)
    #expect(window.take())
    #expect(!window.take())
    #expect(window.arrived(1, of: window.generation))
    #expect(window.take())
  }

  @Test("Updates on their way before a reset do not count")
  func reset() {
    let window = UpdateWindow(isConfirmed: false)
    _ = fill(window)
    let before = window.generation
    window.reset()
    #expect(fill(window).count == 32)
    #expect(!window.arrived(32, of: before))
    #expect(!window.take())
  }
}
