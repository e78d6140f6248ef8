// SPDX-License-Identifier: MIT
import ArgumentParser

/// Which of several devices that match is taken: the value of `--pick`.
enum PickRule: String, Sendable, CaseIterable, ExpressibleByArgument {
  /// The one with the strongest signal; one that has not been heard comes last.
  case strongest
  /// The one that was found first.
  case first
}
