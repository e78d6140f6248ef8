// SPDX-License-Identifier: MIT
internal import TerminalOutput

extension Console {
  /// The console of this process; after a termination signal, it gives up on a reader that has stopped reading.
  ///
  /// - Parameter color: the value of `--color`.
  convenience init(color: ColorMode) { self.init(color: color, patience: { TerminationRequest.patience }) }
}
