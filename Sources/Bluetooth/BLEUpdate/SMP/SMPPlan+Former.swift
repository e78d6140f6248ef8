// SPDX-License-Identifier: MIT

extension SMPPlan {
  /// Returns the version that the device ran before the new firmware; `revision` is that of its Device Information.
  ///
  /// If an earlier run has started the new firmware already, that of the image in the other slot, unless it was overwritten.
  func formerVersion(_ revision: String?) -> String? {
    guard let target = targets.first, inventory.images.running(target.image)?.hash == target.hash else {
      return version(in: inventory.images) ?? revision
    }
    let others = inventory.images.filter { $0.image == target.image && !$0.isActive }
    return others.first { $0.hash != target.hash }?.version
  }
}
