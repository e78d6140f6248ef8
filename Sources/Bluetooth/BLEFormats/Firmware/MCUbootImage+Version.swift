// SPDX-License-Identifier: MIT

extension MCUbootImage {
  /// The version of an image.
  package struct Version: Sendable, Hashable, Comparable, CustomStringConvertible {
    package var major: UInt8
    package var minor: UInt8
    package var revision: UInt16
    package var build: UInt32

    package init(major: UInt8, minor: UInt8, revision: UInt16 = 0, build: UInt32 = 0) {
      (self.major, self.minor, self.revision, self.build) = (major, minor, revision, build)
    }

    /// Reads `1.2`, `1.2.3`, and `1.2.3+4` as imgtool takes it, or `1.2.3.4` as devices report it.
    package init?(parsing text: some StringProtocol) {
      let parts = String(text).split(separator: "+", maxSplits: 1, omittingEmptySubsequences: false)
      var words = parts[0].split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      guard words.count >= 2, words.count + parts.count - 1 <= 4 else { return nil }
      // A build behind a plus may follow fewer numbers.
      if parts.count == 2 {
        while words.count < 3 { words.append("0") }
        words.append(String(parts[1]))
      }
      while words.count < 4 { words.append("0") }
      guard words.allSatisfy({ $0.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } }),
        let major = UInt8(words[0]), let minor = UInt8(words[1]), let revision = UInt16(words[2]),
        let build = UInt32(words[3])
      else { return nil }
      self.init(major: major, minor: minor, revision: revision, build: build)
    }

    /// The version as bootloaders compare it, which ignore the build.
    package var withoutBuild: Version { Version(major: major, minor: minor, revision: revision) }

    package static func < (left: Self, right: Self) -> Bool {
      (left.major, left.minor, left.revision, left.build)
        < (right.major, right.minor, right.revision, right.build)
    }

    /// `1.2.3`, or `1.2.3.4` with a build other than 0, as devices with Zephyr report it.
    package var description: String { "\(major).\(minor).\(revision)" + (build == 0 ? "" : ".\(build)") }
  }
}
