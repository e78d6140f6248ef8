// SPDX-License-Identifier: MIT
internal import JSON
internal import ValueStreams

/// The type of advertised data: one that is known, or one of a profile.
package struct AdvertisedTypeArgument: Sendable, Hashable {
  package let type: String

  package init(parsing text: String) throws(ArgumentError) {
    let types = Vocabulary.known.advertisedTypes
    let type = text.lowercased()
    guard types.contains(type) else {
      let advice = Spelling.advice(for: type, among: types) ?? "docs/adverts.md lists them"
      throw ArgumentError(text, "is not a type of advertised data; \(advice)")
    }
    self.type = type
  }
}
