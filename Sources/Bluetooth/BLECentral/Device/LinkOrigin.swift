// SPDX-License-Identifier: MIT

/// The origin of a link.
public enum LinkOrigin: Sendable, Hashable {
  /// This manager opened it.
  case opened
  /// It existed: another program or manager opened it.
  case joined
}
