// SPDX-License-Identifier: MIT

/// The outcome of opening a link in the place of one that ended.
enum NextLink {
  case stands
  /// Links come about, but each ends before its services are known.
  case endsAtOnce
  case absent
}
