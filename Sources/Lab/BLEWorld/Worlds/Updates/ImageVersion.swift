// SPDX-License-Identifier: MIT

/// The version of an image of MCUboot.
package struct ImageVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
  package var major: UInt8
  package var minor: UInt8
  package var revision: UInt16
  package var build: UInt32

  package init(_ major: UInt8, _ minor: UInt8, _ revision: UInt16, build: UInt32 = 0) {
    (self.major, self.minor, self.revision, self.build) = (major, minor, revision, build)
  }

  /// Parses `1.2.3`, `1.2.3+4`, or `1.2.3.4` as Zephyr prints it.
  package init?(_ text: String) {
    let parts = text.split(omittingEmptySubsequences: false) { $0 == "." || $0 == "+" }
    guard parts.count == 3 || parts.count == 4, let major = UInt8(parts[0]), let minor = UInt8(parts[1]),
      let revision = UInt16(parts[2])
    else { return nil }
    var build: UInt32 = 0
    if parts.count == 4 {
      guard let number = UInt32(parts[3]) else { return nil }
      build = number
    }
    self.init(major, minor, revision, build: build)
  }

  /// The version as Zephyr prints it, without a build of 0.
  package var description: String {
    "\(major).\(minor).\(revision)" + (build == 0 ? "" : ".\(build)")
  }

  package static func < (one: ImageVersion, other: ImageVersion) -> Bool {
    (one.major, one.minor, one.revision, one.build) < (other.major, other.minor, other.revision, other.build)
  }
}
