// SPDX-License-Identifier: MIT

/// The way in which a bootloader starts images, with its number in SMP.
public enum SMPMode: Int, Sendable, Hashable, CaseIterable {
  /// One slot: an application cannot be replaced while it runs.
  case singleSlot = 0
  /// Two slots, whose contents are swapped over a third area.
  case swapScratch
  /// Two slots; the second one is copied over the first: there is no way back.
  case overwrite
  /// Two slots, whose contents are swapped in place.
  case swapMove
  /// Two slots. The bootloader starts the newer image where it lies.
  case directXIP
  /// The same, with a way back.
  case directXIPRevert
  /// The newer image is copied to memory.
  case ramLoad
  /// One slot for the application, which a second firmware replaces: the firmware loader.
  case firmwareLoader
  /// One image, which is copied to memory.
  case singleSlotRAMLoad
  /// Two slots, whose contents are swapped, shifted by a sector.
  case swapOffset

  /// True if an image runs where it lies, so that it must have been made for its slot.
  var isInPlace: Bool { self == .directXIP || self == .directXIPRevert }
  /// True if the bootloader starts the image with the highest version by itself: there is nothing to test or to confirm.
  var startsNewest: Bool { [.directXIP, .ramLoad, .singleSlotRAMLoad].contains(self) }
  /// True if the bootloader starts the image with the highest version of those that may start.
  var startsHighest: Bool { startsNewest || self == .directXIPRevert }
  /// True if images run in the first slot, into which they are copied or swapped.
  var copies: Bool { [.swapScratch, .overwrite, .swapMove, .swapOffset].contains(self) }
  /// True if an image replaces the running one for good with its first start.
  var isFinal: Bool { [.singleSlot, .overwrite, .singleSlotRAMLoad, .firmwareLoader].contains(self) }
  /// True if there is only the slot of the application.
  var hasOneSlot: Bool { [.singleSlot, .firmwareLoader, .singleSlotRAMLoad].contains(self) }
}
