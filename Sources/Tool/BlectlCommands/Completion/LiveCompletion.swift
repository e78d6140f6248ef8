// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLECentral
internal import ValueStreams

/// Completions of arguments whose values are known only when Tab is pressed.
enum LiveCompletion {
  static let adapter = CompletionKind.custom { words, _, _ in
    list((KnownObjects.ask(plain(words))?.adapters ?? []).map { Candidate($0) })
  }

  /// Known devices, by name and by address; behind a colon, the characteristics of a pair.
  static let device = CompletionKind.custom { words, _, prefix in
    let words = plain(words)
    let known = KnownObjects.ask(words)
    return list(devices(known) + pairs(known, words, prefix))
  }

  /// Known devices, by address only.
  static let address = CompletionKind.custom { words, _, _ in
    list((KnownObjects.ask(plain(words))?.devices ?? []).map { Candidate("\($0.address)", about: $0.name) })
  }

  /// The characteristics of the device on the command line if it is connected, else all names.
  static let characteristic = CompletionKind.custom { words, _, prefix in
    let words = plain(words)
    let known = KnownObjects.ask(words)
    let live = characteristics(known, words)
    return list((live.isEmpty ? names([.characteristic], prefix) : live) + pairs(known, words, prefix))
  }

  static let service = CompletionKind.custom { _, _, prefix in
    list(names(AssignedNumbers.serviceKinds, prefix))
  }

  static let descriptor = CompletionKind.custom { _, _, prefix in list(names([.descriptor], prefix)) }

  static let name = CompletionKind.custom { _, _, prefix in
    list(names(AssignedNumber.Kind.allCases, prefix))
  }

  static let advertisedType = CompletionKind.custom { _, _, _ in
    list(Vocabulary.known.advertisedTypes.map { Candidate($0) })
  }

  static let format = CompletionKind.list(ValueFormat.words)

  /// The help of `--as`.
  static let formatHelp = ArgumentHelp(
    "How to show values: hex, utf8, u16, … or a layout with several fields, such as 'speed=u16*0.1 i16'.",
    valueName: "format")

  // MARK: Candidates

  static func devices(_ known: KnownObjects?) -> [Candidate] {
    (known?.devices ?? []).flatMap { device in
      let state = device.isConnected ? "connected" : nil
      let named = device.name.map {
        Candidate($0, about: ["\(device.address)", state].compactMap { $0 }.joined(separator: ", "))
      }
      let about = [device.name, state].compactMap { $0 }.joined(separator: ", ")
      return [named, Candidate("\(device.address)", about: about.isEmpty ? nil : about)].compactMap { $0 }
    }
  }

  static func characteristics(_ known: KnownObjects?, _ words: [String]) -> [Candidate] {
    guard let known else { return [] }
    let device = known.devices.first { device in
      words.contains { word in
        word == device.name || BluetoothAddress(word) == device.address
      }
    }
    guard let device, device.isConnected else { return [] }
    return known.characteristics(of: device).map { uuid in
      let identity = AttributeIdentity(
        uuid, of: ProfileSubject(address: device.address, name: device.name))
      guard let name = Vocabulary.known.name(of: identity) else { return Candidate("\(uuid)") }
      return Candidate(AssignedNumbers.hyphenated(name), about: "\(uuid)")
    }
  }

  /// The characteristics of the device before the last colon of DEVICE:CHAR, which `subscribe` takes.
  ///
  /// bash needs none of them: there, a word begins behind the colon, and the device is a word before it.
  static func pairs(_ known: KnownObjects?, _ words: [String], _ prefix: String) -> [Candidate] {
    guard words.contains(where: ["subscribe", "notify"].contains), let colon = prefix.lastIndex(of: ":")
    else { return [] }
    let device = String(prefix[..<colon])
    // Those of an unfinished address separate its bytes.
    let isAddress = device.wholeMatch(of: /[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){0,4}/) != nil
    if device.isEmpty || isAddress { return [] }
    let live = characteristics(known, [device])
    let found = live.isEmpty ? names([.characteristic], String(prefix[prefix.index(after: colon)...])) : live
    return found.map { Candidate("\(device):\($0.word)", about: $0.about) }
  }

  /// Names that start with the typed text; for an empty text only those of profiles, since there are thousands of others.
  private static func names(_ kinds: [AssignedNumber.Kind], _ prefix: String) -> [Candidate] {
    let vocabulary = Vocabulary.known
    let names = prefix.isEmpty ? vocabulary.ownNames(kinds) : vocabulary.names(beginning: prefix, kinds)
    return names.map { name, kind in Candidate(name, about: kind.rawValue.replacing("_", with: " ")) }
  }

  // MARK: Shells

  static func list(
    _ candidates: [Candidate], for shell: CompletionShell? = CompletionShell.requesting
  ) -> [String] {
    var seen: Set<String> = []
    return candidates.filter(\.isHarmless).compactMap { $0.text(for: shell) }.filter {
      seen.insert($0).inserted
    }
  }

  /// Removes the quotes and backslashes that bash keeps.
  static func plain(_ words: [String]) -> [String] {
    words.map { word in String(word.filter { $0 != "\\" && $0 != "'" && $0 != "\"" }) }
  }
}
