// SPDX-License-Identifier: MIT
import Testing

@testable import BLEUpdate

@Suite("SMPVerdict and SMPOutcome")
struct SMPDecisionTests {
  private let wanted: [UInt8] = [1, 1]
  private let old: [UInt8] = [2, 2]
  private let other: [UInt8] = [3, 3]

  private var target: SMPTarget {
    SMPTarget(image: 0, hash: wanted, version: "2.0.0", bytes: [], name: "app.bin")
  }

  private func running(_ hash: [UInt8], isConfirmed: Bool = true) -> SMPImage {
    SMPImage(slot: 0, hash: hash, isConfirmed: isConfirmed, isActive: true)
  }

  private func waiting(
    _ hash: [UInt8], isPending: Bool = false, isPermanent: Bool = false, isConfirmed: Bool = false,
    isBootable: Bool = true
  ) -> SMPImage {
    SMPImage(
      slot: 1, hash: hash, isBootable: isBootable, isPending: isPending, isConfirmed: isConfirmed,
      isPermanent: isPermanent)
  }

  private func verdict(_ images: [SMPImage], _ mode: SMPMode? = .swapMove, isKept: Bool = false) -> SMPVerdict
  {
    SMPVerdict(target, in: images, mode, isKept: isKept)
  }

  @Test("An image that runs is confirmed if it is not, and else left alone")
  func runs() {
    #expect(verdict([running(wanted)]) == .nothing)
    #expect(verdict([running(wanted, isConfirmed: false)]) == .confirm)
    #expect(verdict([running(wanted, isConfirmed: false), waiting(old, isConfirmed: true)]) == .confirm)
    #expect(verdict([running(wanted, isConfirmed: false)], .directXIP) == .nothing)
  }

  @Test("An image in the other slot is tested, or only started if that was done")
  func lies() {
    #expect(verdict([running(old), waiting(wanted)]) == .test)
    #expect(verdict([running(old), waiting(wanted, isPending: true)]) == .reset)
    #expect(verdict([running(old), waiting(wanted, isPending: true, isPermanent: true)]) == .reset)
    #expect(verdict([running(old), waiting(wanted, isPending: true)], isKept: true) == .test)
    #expect(verdict([running(old), waiting(wanted, isPermanent: true)], isKept: true) == .reset)
    #expect(verdict([running(old), waiting(wanted)], .directXIP) == .reset)
    #expect(verdict([running(old), waiting(wanted)], .directXIPRevert) == .test)
    #expect(verdict([running(old), waiting(wanted)], nil) == .test)
  }

  @Test("Another image in the other slot is replaced, unless it is about to start, or to come back")
  func others() {
    #expect(verdict([running(old)]) == .upload)
    #expect(verdict([running(old), waiting(other)]) == .upload)
    // Of a test, the former image comes back at the second reset.
    #expect(verdict([running(old), waiting(other, isPending: true)]) == .resetFirst(2))
    #expect(verdict([running(old), waiting(other, isPending: true, isPermanent: true)]) == .resetFirst(1))
    #expect(verdict([running(old), waiting(other, isPending: true)], .directXIP) == .upload)
    #expect(verdict([]) == .upload)
  }

  @Test("An image that was not kept gives way to the former one first, which comes back by itself")
  func trial() {
    let onTrial = running(old, isConfirmed: false)
    #expect(verdict([onTrial, waiting(other, isConfirmed: true)]) == .resetFirst(1))
    #expect(verdict([onTrial, waiting(other)]) == .resetFirst(1))
    #expect(verdict([onTrial]) == .upload)
    #expect(verdict([onTrial, waiting(wanted, isConfirmed: true)]) == .reset)
    #expect(verdict([onTrial, waiting(other)], .overwrite) == .upload)
  }

  @Test("Where only the application is said to run, another image runs in its first slot")
  func onlyApplicationIsActive() {
    func second(_ slot: Int, _ hash: [UInt8], isConfirmed: Bool = false, isPending: Bool = false) -> SMPImage
    {
      SMPImage(image: 1, slot: slot, hash: hash, isPending: isPending, isConfirmed: isConfirmed)
    }
    var target = target
    target.image = 1
    func verdict(_ images: [SMPImage], _ mode: SMPMode? = .swapMove) -> SMPVerdict {
      SMPVerdict(target, in: [running(old)] + images, mode)
    }
    func outcome(_ images: [SMPImage], _ mode: SMPMode? = .swapMove) -> SMPOutcome {
      SMPOutcome(of: target, in: [running(old)] + images, mode)
    }
    #expect(verdict([second(0, wanted, isConfirmed: true)]) == .nothing)
    #expect(verdict([second(0, wanted), second(1, old, isConfirmed: true)]) == .confirm)
    #expect(verdict([second(0, other, isConfirmed: true)], nil) == .upload)
    #expect(verdict([second(0, wanted)], .firmwareLoader) == .test)
    #expect(outcome([second(0, wanted), second(1, old, isConfirmed: true)]) == .running(isConfirmed: false))
    #expect(outcome([second(0, wanted, isConfirmed: true)]) == .running(isConfirmed: true))
    #expect(outcome([second(0, old, isConfirmed: true), second(1, wanted)]) == .reverted)
    // The flash of some cores cannot be read, so nothing is listed there.
    #expect(outcome([second(1, old, isConfirmed: true)]) == .taken(isConfirmed: false))
    #expect(outcome([second(1, old)]) == .taken(isConfirmed: true))
    #expect(outcome([second(1, wanted, isPending: true)]) == .waiting)
  }

  @Test("Only the slots of the same image count")
  func severalImages() {
    var second = running(wanted)
    second.image = 1
    #expect(verdict([second, running(old)]) == .upload)
    var pending = waiting(other, isPending: true)
    pending.image = 1
    #expect(verdict([running(old), pending]) == .upload)
  }

  @Test("The form of an image for the other slot counts as the same firmware where it runs")
  func siblings() {
    var target = target
    target.siblings = [other]
    #expect(SMPVerdict(target, in: [running(other)], .directXIP) == .nothing)
    #expect(SMPVerdict(target, in: [running(old), waiting(other)], .directXIP) == .upload)
  }

  @Test("After the start, an image runs, or was given back, or refused, or waits")
  func outcomes() {
    func outcome(_ images: [SMPImage], _ mode: SMPMode? = .swapMove) -> SMPOutcome {
      SMPOutcome(of: target, in: images, mode)
    }
    #expect(outcome([running(wanted)]) == .running(isConfirmed: true))
    #expect(outcome([running(wanted, isConfirmed: false)]) == .running(isConfirmed: false))
    #expect(outcome([running(wanted, isConfirmed: false)], .directXIP) == .running(isConfirmed: true))
    #expect(outcome([running(old), waiting(wanted)]) == .reverted)
    #expect(outcome([running(old), waiting(wanted, isBootable: false)]) == .refused)
    #expect(outcome([running(old), waiting(wanted, isPending: true)]) == .waiting)
    #expect(outcome([running(old), waiting(wanted)], .directXIP) == .refused)
    #expect(outcome([running(old)]) == .refused)
    #expect(outcome([]) == .refused)
    // Without a test, there is nothing to come back from.
    for mode in [SMPMode.singleSlot, .firmwareLoader, .overwrite] {
      #expect(outcome([running(old), waiting(wanted)], mode) == .refused)
    }
    #expect(outcome([running(old)], .directXIPRevert) == .erased)
  }

  @Test("A bootloader that starts the highest version does not start a lower one, whatever waits")
  func outranked() {
    func outcome(_ version: String, _ mode: SMPMode, isPending: Bool = false) -> SMPOutcome {
      var now = running(old)
      now.version = version
      return SMPOutcome(of: target, in: [now, waiting(wanted, isPending: isPending)], mode)
    }
    #expect(outcome("2.0.1", .directXIP) == .outranked)
    #expect(outcome("2.0.0.5", .directXIP) == .outranked)
    #expect(outcome("2.1.0", .directXIPRevert, isPending: true) == .outranked)
    #expect(outcome("1.9.0", .directXIPRevert, isPending: true) == .waiting)
    #expect(outcome("1.9.0", .directXIP) == .refused)
    #expect(outcome("3.0.0", .swapMove) == .reverted)
  }

  @Test("Names of boards are alike if one adds the processor or the revision to the other")
  func boards() {
    #expect(SMPBoard.areAlike("nrf5340dk_nrf5340_cpuapp", "nrf5340dk"))
    #expect(SMPBoard.areAlike("nrf5340dk/nrf5340/cpuapp", "nrf5340dk_nrf5340_cpuapp"))
    #expect(SMPBoard.areAlike("NRF52840DK", "nrf52840dk@1.0.0/nrf52840"))
    #expect(!SMPBoard.areAlike("nrf52840dk", "nrf5340dk"))
    #expect(SMPBoard.areAlike("", "nrf5340dk"))
  }
}
