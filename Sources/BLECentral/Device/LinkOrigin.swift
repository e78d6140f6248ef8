// SPDX-License-Identifier: MIT

/// How a link was obtained.
public enum LinkOrigin: Sendable, Hashable {
  /// This manager opened it.
  case opened
  /// It existed: another program or manager opened it.
  case joined
}
