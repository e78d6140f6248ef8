// SPDX-License-Identifier: MIT

/// An error with which the daemon answers calls of a method instead of executing them.
package struct CallFault: Sendable, Hashable {
  /// The name of the method, such as `StartDiscovery`.
  package var method: String
  /// The error.
  package var error: BlueZError
  /// The address of the device whose objects are affected; nil is every object.
  package var device: String?
  /// The number of calls; nil is all, 0 ends the fault.
  package var times: Int?

  /// Calls of a method that fail.
  ///
  /// - Parameters:
  ///   - method: the name of the method.
  ///   - error: the error; nil is the one that the daemon returns when it is busy.
  ///   - device: the address of the device whose objects are affected; nil is every object.
  ///   - times: the number of calls; nil is all.
  package init(_ method: String, _ error: BlueZError? = nil, device: String? = nil, times: Int? = nil) {
    self.method = method
    self.error = error ?? (method.hasSuffix("Discovery") ? .busy : .inProgress)
    self.device = device
    self.times = times
  }
}
