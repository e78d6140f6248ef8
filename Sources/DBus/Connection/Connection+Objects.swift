// SPDX-License-Identifier: MIT

extension Connection {
  /// Takes the method calls that reach us, whatever their object: `handler` runs on the loop and says whether it
  /// has answered (or will).
  ///
  /// What it does not take is answered with UnknownMethod.
  package func handleCalls(_ handler: @escaping @Sendable (Message) -> Bool) { methodHandler = handler }

  /// Takes a well-known name.
  ///
  /// - Returns: whether we own it now.
  /// - Throws: ``DBusError``, such as AccessDenied.
  package func requestName(_ name: String) async throws(DBusError) -> Bool {
    let doNotQueue: UInt32 = 4
    let message = Message(
      call: "RequestName", of: BusDriver.interface, at: BusDriver.path, to: BusDriver.name
    ) {
      $0.string(name)
      $0.uint32(doNotQueue)
    }
    let reply = try await call(message, timeout: .seconds(10))
    return reply.values.first == .uint32(1)
  }

  /// Gives a well-known name back.
  package func releaseName(_ name: String) {
    post(
      Message(call: "ReleaseName", of: BusDriver.interface, at: BusDriver.path, to: BusDriver.name) {
        $0.string(name)
      })
  }
}
