// SPDX-License-Identifier: MIT
package import DBus

/// The D-Bus error that some code throws; nil when it throws none.
package func failure(_ body: () async throws -> some Any) async -> DBusError? {
  do {
    _ = try await body()
    return nil
  } catch {
    return error as? DBusError
  }
}

extension DBusError {
  /// Name and text in one line, without the part that all names share.
  package var line: String {
    let name = name.split(separator: ".").last.map(String.init) ?? name
    return "\(name) \(message)"
  }
}
