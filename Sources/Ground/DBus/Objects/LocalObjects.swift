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

  /// The handlers of the calls, by path.
  var exports: [String: Export] {
    var exports: [String: Export] = [:]
    for object in objects {
      exports[object.path] = Export(
        root: root, client: client, isSecret: object.isSecret, answer: object.answer)
    }
    exports[root] = Export(root: root, client: client, isSecret: false, answer: list)
    return exports
  }

  /// Answers a call of the root; returns nil if the method does not exist.
  private func list(_ call: Message) -> LocalAnswer? {
    guard call.isCall(of: StandardInterface.objectManager), call.member == "GetManagedObjects",
      call.hasSignature("")
    else { return nil }
    let reply = Message(replyTo: call) { writer in
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
    return .now(reply)
  }
}

/// The handler of the calls to one path.
struct Export: Sendable {
  let root: String
  let client: String
  let isSecret: Bool
  /// Returns nil if the method does not exist.
  let answer: @Sendable (Message) -> LocalAnswer?
}
