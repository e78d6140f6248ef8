// SPDX-License-Identifier: MIT
internal import JSON

/// A word that other tools use for one of our commands.
struct ForeignWord {
  /// Follows `no such command; `.
  let advice: String
  /// The command to run.
  let hint: String

  /// Nil if the meaning of the word is unknown.
  init?(_ word: String) {
    guard let meaning = ForeignWord.meanings.first(where: { $0.words.contains(word.lowercased()) }) else {
      return nil
    }
    (advice, hint) = (meaning.advice, meaning.hint)
  }

  /// Nil unless a word is more like one of these than like one of `words`.
  init?(misspelt word: String, besides words: [String]) {
    // Anything resembles a short word.
    let foreign = ForeignWord.meanings.flatMap { $0.words }.filter { $0.count > 4 }.sorted()
    let near = Spelling.candidates(for: word, among: words + foreign)
    guard let first = near.first, !near.contains(where: words.contains),
      Spelling.distance(Array(first.utf8), Array(word.lowercased().utf8)) <= 2
    else { return nil }
    self.init(first)
  }

  private static let meanings: [(words: Set<String>, advice: String, hint: String)] = [
    (["bond", "passkey", "default-agent"], "'pair' pairs with a device", "blectl pair --help"),
    (["remove", "rm", "delete", "unbond"], "'unpair' lets BlueZ forget a device", "blectl unpair --help"),
    (
      ["list", "ls", "known", "paired", "show"],
      "'devices' lists known devices, 'scan' shows those nearby", "blectl devices"
    ),
    (
      ["discover", "find", "search", "lescan", "discovery", "inquiry", "beacons"],
      "'scan' shows the devices nearby", "blectl scan"
    ),
    (
      [
        "notifications", "notification", "watch", "indicate", "indications", "stream", "tail",
        "observe", "log", "plot",
      ], "'subscribe' prints notifications and indications", "blectl subscribe --help"
    ),
    (
      ["characteristics", "characteristic", "chars", "gatt", "tree", "primary", "descriptors"],
      "'services' shows services, characteristics and descriptors", "blectl services --help"
    ),
    (["get", "cat", "char-read"], "'read' reads characteristics", "blectl read --help"),
    (["set", "put", "char-write"], "'write' writes a characteristic", "blectl write --help"),
    (
      ["power", "hci", "adapters", "radio", "controller", "up", "down", "on", "off"],
      "'adapter' lists adapters, and switches them on and off", "blectl adapter --help"
    ),
    (
      ["status", "check", "diagnose", "test"], "'doctor' checks everything that Bluetooth needs",
      "blectl doctor"
    ),
    (
      ["beacon", "broadcast", "advert", "adv", "leadv"], "'advertise' sends beacons and other data",
      "blectl advertise --help"
    ),
    (
      ["dump", "export", "clone", "record"], "'snapshot' writes a device as a world file",
      "blectl snapshot --help"
    ),
    (
      ["compare", "diff", "changes"],
      "'snapshot' writes a device as a file, and diff compares two of these files", "blectl snapshot --help"
    ),
    (["events", "follow"], "'monitor' prints all events", "blectl monitor --help"),
    (["parse", "meaning"], "'decode' prints the meaning of bytes", "blectl decode --help"),
    (["lookup", "uuids"], "'uuid' looks up numbers and names", "blectl uuid --help"),
    (
      ["name", "rename", "alias", "nickname"],
      "a profile gives devices names of your own, and 'uuid' looks up those of numbers",
      "blectl help profiles"
    ),
    (
      ["completion", "completions", "complete"],
      "an option prints the completions of bash, zsh or fish", "blectl --generate-completion-script bash"
    ),
    (["version"], "use the option --version", "blectl --version"),
    (["man", "manual", "usage"], "'help' shows the help", "blectl help"),
  ]
}
