// SPDX-License-Identifier: MIT
internal import BLECentral
internal import Testing

@testable internal import BLEUpdate
@testable internal import BlectlCommands

@Suite("The progress of an update")
struct UpdateBoardTests {
  private func progress(
    _ stage: UpdateStage, _ done: Int = 0, of total: Int = 0, part: Int = 1, parts: Int = 1
  ) throws -> UpdateProgress {
    UpdateProgress(
      stage: stage, done: done, total: total, part: part, parts: parts,
      address: try #require(BluetoothAddress("C0:00:00:00:00:01")))
  }

  @Test("Each stage has words, and a transfer its bytes")
  func words() throws {
    let board = UpdateBoard()
    #expect(board.text == "looking for it" && board.certain == nil)
    board.found()
    #expect(board.text == "reading what it runs")
    #expect(board.take(try progress(.transferring, of: 2000, part: 1, parts: 2)).isNewStage)
    #expect(!board.take(try progress(.transferring, 500, of: 2000, part: 1, parts: 2)).isNewStage)
    #expect(board.text.hasPrefix("sending part 1 of 2, 0.5 of 2.0 kB, "), "\(board.text)")
    #expect(board.text.hasSuffix("(25 %)") && board.shortText == "25 %")
    let certain = try #require(board.certain)
    #expect(certain.bytes == 500 && certain.of == 2000 && !board.isWhole)
    #expect(board.take(try progress(.transferring, 1000, of: 1000, part: 2, parts: 2)).isNewStage)
    #expect(board.isWhole)
    #expect(board.take(try progress(.waiting)).isNewStage)
    #expect(board.text == "waiting until it is back" && board.isWhole && board.shortText == "waiting")
  }

  @Test("A device is in its bootloader once it was told to start that, unless it refuses")
  func bootloader() throws {
    let board = UpdateBoard()
    var progress = try progress(.jumping)
    #expect(board.take(progress).startsBootloader == nil && !board.isInBootloader && !board.hasBegun)
    progress.hasStartedBootloader = true
    #expect(board.take(progress).startsBootloader == true && board.isInBootloader && board.hasBegun)
    #expect(board.take(progress).startsBootloader == nil && board.application == progress.address)
    progress.hasStartedBootloader = false
    #expect(board.take(progress).startsBootloader == false && !board.isInBootloader && !board.hasBegun)
  }

  @Test("Nothing is certain before a bootloader of Secure DFU has told what it has")
  func unknown() throws {
    let board = UpdateBoard()
    let address = try #require(BluetoothAddress("C0:00:00:00:00:01"))
    let plan = UpdatePlan(
      address: address, method: .secureDFU, from: nil, to: nil, steps: [.transferring], bytes: 2000,
      isInBootloader: true, isAlreadyThere: false, warnings: [])
    board.take(plan, startedFrom: address)
    var progress = try progress(.transferring, of: 2000, part: 2, parts: 3)
    _ = board.take(progress)
    #expect(board.certain == nil && board.hasTransferred)
    progress.isResumable = true
    _ = board.take(progress)
    #expect(board.certain?.bytes == 0 && board.certain?.of == 2000)
    #expect(board.part?.number == 2 && board.part?.of == 3)
  }

  @Test("What an earlier run has sent does not count for the rate")
  func resumed() throws {
    let board = UpdateBoard()
    _ = board.take(try progress(.transferring, of: 100_000))
    _ = board.take(try progress(.transferring, 90_000, of: 100_000))
    #expect(board.text.contains("90.0 of 100.0 kB, 0 B/s"), "\(board.text)")
  }
}
