// SPDX-License-Identifier: MIT

/// Which of several matching devices to take: the value of `--pick`.
enum PickRule: String, Sendable, CaseIterable {
  /// The one with the strongest signal; devices that have not been heard come last.
  case strongest
  /// The one that was found first.
  case first
}
