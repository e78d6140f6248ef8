// SPDX-License-Identifier: MIT

extension MethodCall {
  /// Fails with the error of a peripheral, unless bluetoothd never answers.
  func fail(_ error: ATTErrorCode) {
    if error.isReported { fail(error.onBus) }
  }
}
