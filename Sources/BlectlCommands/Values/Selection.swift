// SPDX-License-Identifier: MIT

/// The matches of a word on the command line.
enum Selection<Candidate> {
  /// No match.
  case none
  /// Exactly one match.
  case one(Candidate)
  /// At least two matches, in the order of the candidates.
  case many([Candidate])

  /// The selection with these matches.
  init(_ matches: [Candidate]) {
    switch matches.count {
    case 0: self = .none
    case 1: self = .one(matches[0])
    default: self = .many(matches)
    }
  }
}

extension Selection: Sendable where Candidate: Sendable {}
extension Selection: Equatable where Candidate: Equatable {}
