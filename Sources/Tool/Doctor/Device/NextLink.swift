// SPDX-License-Identifier: MIT

/// The outcome of opening a link in the place of one that ended.
enum NextLink {
  case stands
  /// Another program has it open: perhaps it is still the one before.
  case shared
  /// Links come about, but each ends before its services are known.
  case endsAtOnce
  case absent
}
