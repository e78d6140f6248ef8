// SPDX-License-Identifier: MIT

/// Exported objects below a root that lists them; BlueZ calls this an application.
package struct LocalObjects: Sendable {
  package let root: String
  /// The unique name that may call the objects; for others they do not exist.
  package let client: String
  package let objects: [LocalObject]

  package init(root: String, for client: String, _ objects: [LocalObject]) {
    self.root = root
    self.client = client
    self.objects = objects
  }

  var paths: [String] { [root] + objects.map(\.path) }

  /// Answers a call of one of them; returns nil if the object or method does not exist.
  func answer(_ call: Message) -> LocalAnswer? {
    if call.path == root {
      return call.isCall(of: StandardInterface.objectManager) ? list(call).map { .now($0) } : nil
    }
    return objects.first { $0.path == call.path }?.answer(call)
  }

  func isSecret(_ path: String) -> Bool { objects.contains { $0.path == path && $0.isSecret } }

  private func list(_ call: Message) -> Message? {
    guard call.member == "GetManagedObjects", call.hasSignature("") else { return nil }
    return Message(replyTo: call) { writer in
      writer.array(of: "{oa{sa{sv}}}") { writer in
        for object in objects {
          writer.entry { writer in
            writer.objectPath(object.path)
            writer.array(of: "{sa{sv}}") { writer in
              writer.entry { writer in
                writer.string(object.interface)
                writer.properties(object.properties)
              }
            }
          }
        }
      }
    }
  }
}
