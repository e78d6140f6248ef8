// SPDX-License-Identifier: MIT
internal import BLEWorld

/// The two slots of an image, and what the boot loader MCUboot does with them.
struct ImageSlots: Sendable {
  struct Slot: Sendable {
    /// The bytes that were stored; empty if it was erased.
    var bytes: [UInt8] = []
    /// True if the next start tries it.
    var isPending = false
    /// True if that start makes it stay.
    var isPermanent = false
    /// True if it stays.
    var isConfirmed = false

    var image: SlotImage? { SlotImage(bytes) }
  }

  let mode: SMPSpec.Mode
  let behaviour: SMPSpec.NewFirmware
  private(set) var active = 0
  var slots: [Slot]

  /// Starts with confirmed firmware in the first slot.
  init(_ firmware: [UInt8], mode: SMPSpec.Mode, behaviour: SMPSpec.NewFirmware) {
    (self.mode, self.behaviour) = (mode, behaviour)
    slots = [Slot(bytes: firmware, isConfirmed: true), Slot()]
  }

  var running: SlotImage? { slots[active].image }
  /// The slot that takes new firmware.
  var spare: Int { 1 - active }
  /// True if the running firmware is on trial, so that the other slot keeps the one before it.
  var isOnTrial: Bool { mode.reverts && !slots[active].isConfirmed }

  /// True if the next start tries the firmware of a slot: where it runs in place, it needs the highest version.
  func isPending(_ slot: Int) -> Bool {
    guard slots[slot].isPending else { return false }
    guard mode.isDirect, let image = slots[slot].image, let running else { return true }
    return image.version > running.version
  }

  /// True if the firmware of a slot counts as kept: during a trial, that before it.
  func isKept(_ slot: Int) -> Bool { isOnTrial ? slot == spare : slots[slot].isConfirmed }

  mutating func confirmRunning() {
    slots[active].isConfirmed = true
    slots[active].isPermanent = false
  }

  /// Lets the next start try the spare slot; for good if `isPermanent`.
  mutating func choose(isPermanent: Bool) {
    slots[spare].isPending = true
    slots[spare].isPermanent = isPermanent
  }

  mutating func erase(_ slot: Int) { slots[slot] = Slot() }

  /// The outcome of a start.
  enum Start {
    /// Nothing was copied.
    case same
    /// Firmware was copied.
    case copied
    /// New firmware hung, and the one before it was copied back.
    case copiedBack
    /// It hangs for ever.
    case dead
  }

  mutating func start() -> Start { mode.isDirect ? startDirectly() : startSwapping() }

  // MARK: Copying

  private mutating func startSwapping() -> Start {
    guard slots[1].isPending else {
      guard isOnTrial else { return .same }
      revert()
      return .copied
    }
    guard let image = slots[1].image, image.isIntact, behaviour != .rejected else {
      // As after an invalid signature.
      erase(1)
      guard isOnTrial else { return .same }
      confirmRunning()
      return .same
    }
    let isPermanent = slots[1].isPermanent || mode == .overwrite
    if mode == .overwrite {
      slots[0] = slots[1]
      erase(1)
    } else {
      slots.swapAt(0, 1)
    }
    slots[0].isPending = false
    slots[0].isPermanent = false
    slots[0].isConfirmed = isPermanent || behaviour == .confirms
    slots[1].isConfirmed = false
    guard behaviour == .hangs else { return .copied }
    if isPermanent { return .dead }
    revert()
    return .copiedBack
  }

  private mutating func revert() {
    slots.swapAt(0, 1)
    slots[0].isConfirmed = true
    slots[1].isConfirmed = false
    slots[1].isPending = false
  }

  // MARK: Running where it was stored

  /// Starts the newest firmware that may run.
  private mutating func startDirectly() -> Start {
    if mode.reverts, isOnTrial { erase(active) }
    let before = active
    while let next = newest {
      let isNew = !slots[next].isConfirmed
      active = next
      if mode == .directXIP || slots[next].isPermanent || !isNew || behaviour == .confirms {
        slots[next].isConfirmed = true
      }
      slots[next].isPending = false
      slots[next].isPermanent = false
      guard isNew, behaviour == .hangs else { return .same }
      if slots[next].isConfirmed { return .dead }
      erase(next)
      active = before
    }
    return .dead
  }

  private var newest: Int? {
    [0, 1].filter { mayRun($0) }.max { one, other in
      guard let first = slots[one].image, let second = slots[other].image else { return false }
      return first.version < second.version || (first.version == second.version && other == active)
    }
  }

  private func mayRun(_ slot: Int) -> Bool {
    guard let image = slots[slot].image, image.isIntact else { return false }
    if slots[slot].isConfirmed { return true }
    return behaviour != .rejected && (mode == .directXIP || slots[slot].isPending)
  }
}
