// SPDX-License-Identifier: MIT

extension Console {
  /// The console of this process; once a signal has asked for the end, it gives up on a reader that takes nothing.
  ///
  /// - Parameter color: the value of `--color`.
  convenience init(color: ColorMode) { self.init(color: color, patience: { EndRequest.patience }) }
}
