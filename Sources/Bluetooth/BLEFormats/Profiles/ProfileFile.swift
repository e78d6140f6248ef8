// SPDX-License-Identifier: MIT
internal import JSON
internal import Synchronization

/// The text of a profile: which names and UUIDs it has is known at once, the rest is read when it is first needed.
///
/// Mistakes beyond those of JSON are found then, all of them; such a profile counts as empty.
package final class ProfileFile: Sendable {
  /// The name of the file.
  package let source: String
  let index: ProfileIndex

  /// Kept rather than what was read from it, which takes ten times the memory.
  private let text: [UInt8]
  private let report: @Sendable (ProfileError) -> Void
  private let loaded = Mutex<ProfileTable?>(nil)

  /// Reads the JSON; `report` is called with the mistakes that are found later, once.
  package init(
    _ text: [UInt8], source: String, report: @escaping @Sendable (ProfileError) -> Void
  ) throws(ProfileError) {
    do throws(JSONError) {
      index = ProfileIndex(try JSONReader.read(text))
    } catch {
      throw ProfileError(source, error)
    }
    (self.text, self.source, self.report) = (text, source, report)
  }

  var table: ProfileTable {
    loaded.withLock { loaded in
      if let loaded { return loaded }
      var profile = Profile(source: source)
      do throws(ProfileError) { profile = try Profile(parsing: text, source: source) } catch { report(error) }
      let table = ProfileTable(profile)
      loaded = table
      return table
    }
  }
}

extension ProfileIndex {
  /// Lists what a text has, as far as it is valid; a root that is not an object is found out by looking for devices.
  init(_ root: JSONNode) {
    characteristics = Self.entries(root["characteristics"])
    descriptors = Self.entries(root["descriptors"])
    services = Self.entries(root["services"])
    for element in root["advertisements"]?.elements ?? [] {
      if let company = element["company"]?.string.flatMap({ UInt16($0, radix: 16) }) {
        senders.append(.company(company))
      } else if let service = element["service"]?.string.flatMap({ BluetoothUUID($0) }) {
        senders.append(.service(service))
      }
    }
    hasDevices = root["devices"] != nil || root.members == nil
  }

  private static func entries(_ list: JSONNode?) -> [Entry] {
    (list?.elements ?? []).compactMap { element in
      guard let uuid = element["uuid"]?.string.flatMap({ BluetoothUUID($0) }) else { return nil }
      return Entry(uuid: uuid, text: element["name"]?.string ?? "")
    }
  }
}
