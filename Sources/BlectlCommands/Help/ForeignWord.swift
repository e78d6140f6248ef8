// SPDX-License-Identifier: MIT

/// What people type for a command because other tools, or other words, have it.
struct ForeignWord {
  /// What does it, as it follows `there is no such command; `.
  let advice: String
  /// The command to run.
  let hint: String

  /// What a word that is no command may stand for; nil when nothing is known of it.
  init?(_ word: String) {
    guard let meaning = ForeignWord.meanings.first(where: { $0.words.contains(word.lowercased()) }) else {
      return nil
    }
    (advice, hint) = (meaning.advice, meaning.hint)
  }

  private static let meanings: [(words: Set<String>, advice: String, hint: String)] = [
    (
      ["pair", "bond", "passkey", "agent"], "bluetoothctl pairs, and blectl uses the bond",
      "bluetoothctl pair DEVICE"
    ),
    (
      ["unpair", "forget", "remove", "rm", "delete"], "bluetoothctl makes BlueZ forget a device",
      "bluetoothctl remove DEVICE"
    ),
    (
      ["trust", "untrust", "block", "unblock"], "bluetoothctl sets the flags of a device",
      "bluetoothctl help"
    ),
    (
      ["list", "ls", "known", "paired", "show"],
      "'devices' lists what BlueZ knows, 'scan' what is in the air", "blectl devices"
    ),
    (
      ["discover", "find", "search", "lescan", "discovery", "inquiry", "beacons"],
      "'scan' shows the devices in the air", "blectl scan"
    ),
    (
      [
        "notifications", "notification", "listen", "watch", "indicate", "indications", "stream", "tail",
        "observe", "log", "plot",
      ], "'subscribe' prints notifications and indications", "blectl subscribe --help"
    ),
    (
      ["characteristics", "characteristic", "chars", "gatt", "tree", "primary", "descriptors", "profile"],
      "'services' shows services, characteristics and descriptors", "blectl services --help"
    ),
    (["get", "cat", "char-read"], "'read' reads characteristics", "blectl read --help"),
    (["set", "send", "put", "char-write"], "'write' writes a characteristic", "blectl write --help"),
    (
      ["power", "hci", "adapters", "radio", "controller", "up", "down", "on", "off"],
      "'adapter' lists the radios, and switches them on and off", "blectl adapter --help"
    ),
    (["status", "check", "diagnose", "test"], "'doctor' checks all that Bluetooth needs", "blectl doctor"),
    (
      ["dump", "export", "clone", "record"], "'snapshot' writes a device as a world file",
      "blectl snapshot --help"
    ),
    (["events", "follow"], "'monitor' prints everything that happens", "blectl monitor --help"),
    (["parse", "meaning"], "'decode' says what bytes mean", "blectl decode --help"),
    (["lookup", "name", "uuids"], "'uuid' knows numbers and their names", "blectl uuid --help"),
    (["version"], "the version is an option", "blectl --version"),
    (["man", "manual", "usage"], "'help' shows the help", "blectl help"),
  ]
}
