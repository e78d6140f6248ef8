// SPDX-License-Identifier: MIT

/// What a word on the command line turned out to mean.
enum Selection<Candidate> {
  /// Nothing that is there.
  case none
  /// Exactly one thing.
  case one(Candidate)
  /// Several things, in the order in which they were given; there are at least two.
  case many([Candidate])

  /// The selection that has matched these.
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
