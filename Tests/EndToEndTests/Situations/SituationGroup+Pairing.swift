// SPDX-License-Identifier: MIT

extension SituationGroup {
  private static let lamp = "C0:00:00:00:00:01"

  /// A lamp that pairs, and whose level needs security.
  private static func lamp(_ pairing: String, security: String = "encrypted") -> Situation.Place {
    .lamp(
      #""properties": ["read", "notify"], "security": "\#(security)""#, #""pairing": {\#(pairing)}"#)
  }

  /// A lamp that has a value that needs a passkey, and by default pairs without one.
  private static func demanding(_ pairing: String = "") -> Situation.Place {
    .world(
      """
      {"peripherals": [{"address": "C0:00:00:00:00:01", "name": "Lamp", "pairing": {\(pairing)}, "services": [
        {"uuid": "ffe0", "characteristics": [
          {"uuid": "ffe1", "value": "57", "properties": ["read"], "security": "authenticated"}]}]}]}
      """)
  }

  /// The pairing of a lamp whose passkey is printed on it, but which also pairs without.
  private static let bonding = #""capability": "display-only", "mitm": "wanted", "passkey": "042017""#

  /// A lamp that is paired without a passkey, and whose battery level, which BlueZ reads by itself, needs one.
  private static let demandingBattery = Situation.Place.world(
    """
    {"peripherals": [{"address": "C0:00:00:00:00:01", "name": "Lamp", "pairing": {}, "services": [{"uuid": "180f",
      "characteristics": [{"uuid": "2a19", "value": "57", "properties": ["read"], "security": "authenticated"}]}, {
      "uuid": "ffe0", "characteristics": [{"uuid": "ffe1", "value": "01", "properties": ["read"]}]}]}]}
    """)

  /// Several commands on one simulated BlueZ.
  static func commands(
    _ title: String, in place: Situation.Place, bluez: String = "", _ script: String, _ status: Int32,
    _ errors: String...
  ) -> Situation {
    var situation = Situation(
      title, in: .noBus, "blectl simulate world.json \(bluez)-- bash -o pipefail -c '\(script)'", status,
      errors: errors)
    if case .world(let text) = place { situation.files = ["world.json": text] }
    return situation
  }

  static let pairing = SituationGroup(
    title: "Pairing",
    situations: [
      Situation(
        "the device refuses to pair", in: lamp(#""request": "refuse""#), "blectl pair Lamp", 1,
        "blectl: cannot pair with Lamp: the device refused, or wants a passkey that this side cannot show or type",
        "hint: blectl pair \(lamp) --passkey N, or run it on a terminal"),
      Situation(
        "a device that insists on a passkey, without a terminal",
        in: lamp(#""capability": "display-only", "mitm": "required""#), "blectl pair Lamp", 1,
        "blectl: cannot pair with Lamp: the device refused, or wants a passkey that this side cannot show or type",
        "hint: blectl pair \(lamp) --passkey N, or run it on a terminal"),
      Situation(
        "a wrong passkey",
        in: lamp(#""capability": "display-only", "mitm": "wanted", "passkey": "042017""#),
        "blectl pair Lamp --passkey 1", 1,
        "blectl: cannot pair with Lamp: the passkey is wrong, or the device refused",
        "hint: blectl pair \(lamp), with the passkey that it shows or is labelled with"),
      Situation(
        "a passkey that nobody can type", in: lamp(#""capability": "display-only", "mitm": "wanted""#),
        "blectl pair Lamp --capability keyboard-only", 1,
        "blectl: cannot pair with Lamp: the device asks for the passkey that it shows, and there is no way to ask a person",
        "hint: blectl pair \(lamp) --passkey N, or run it on a terminal"),
      Situation(
        "numbers that nobody can compare", in: lamp(#""capability": "display-yes-no", "mitm": "wanted""#),
        "blectl pair Lamp --capability display-yes-no", 1,
        "blectl: cannot pair with Lamp: a person must compare two numbers, and there is no way to ask a person",
        "hint: blectl pair \(lamp) --yes, or run it on a terminal"),
      Situation(
        "standard input ends before the answer", in: lamp(#""capability": "display-only", "mitm": "wanted""#),
        "blectl pair Lamp --json </dev/null >/dev/null", 1,
        "blectl: cannot pair with Lamp: the device asks for the passkey that it shows, and standard input gave no answer",
        "hint: blectl pair \(lamp) --passkey N, or run it on a terminal"),
      Situation(
        "a person says no", in: lamp(#""capability": "display-only", "mitm": "wanted""#),
        "echo no | blectl pair Lamp --json >/dev/null", 1,
        "blectl: cannot pair with Lamp: it was refused on this side",
        "hint: blectl pair \(lamp), and answer its question"),
      Situation(
        "the device says that the numbers differ",
        in: lamp(#""capability": "display-yes-no", "mitm": "wanted", "confirms": false"#),
        "blectl pair Lamp --yes", 1,
        "blectl: cannot pair with Lamp: the device refused: the numbers were not confirmed there",
        "hint: blectl pair \(lamp), with the passkey that it shows or is labelled with"),
      Situation(
        "a device that does not go on", in: lamp(#""request": "ignore""#), "blectl pair Lamp --timeout 4s", 5,
        "blectl: cannot pair with Lamp: the pairing took longer than allowed",
        "hint: blectl pair \(lamp), with the device in its pairing mode"),
      Situation(
        "the pairing is cancelled",
        in: .lamp(
          event: #""at": "0s", "do": "fail-call", "method": "Pair", "error": "AuthenticationCanceled", "#
            + #""text": "Authentication Canceled""#),
        "blectl pair Lamp", 1,
        "blectl: cannot pair with Lamp: the pairing was cancelled, or the link was lost",
        "hint: blectl pair \(lamp), close to the device"),
      Situation(
        "another program pairs with it",
        in: .lamp(
          event: #""at": "0s", "do": "fail-call", "method": "Pair", "error": "InProgress", "#
            + #""text": "In Progress""#),
        "blectl pair Lamp", 1,
        "blectl: cannot pair with Lamp: another program is pairing with the device",
        "hint: stop the other program that pairs, or try again"),
      Situation(
        "the device wants encryption, and no program has an agent", in: lamp(""),
        "blectl read Lamp 2a19 --timeout 4s", 1,
        "blectl: cannot read 2a19 of Lamp: the device requires pairing",
        "hint: blectl pair \(lamp), or add --pair"),
      Situation(
        "the device asks for a passkey before it answers",
        in: lamp(#""capability": "display-only", "mitm": "wanted""#, security: "authenticated"),
        "blectl read Lamp 2a19 --timeout 4s", 1,
        "blectl: cannot read 2a19 of Lamp: the device requires pairing, perhaps with a passkey",
        "hint: add --pair; if it insists on the passkey that it shows or is labelled with: on a terminal, or with --passkey N"
      ),
      commands(
        "a pairing that is too weak, and a passkey that the device would show",
        in: demanding(bonding),
        "blectl pair Lamp -q; blectl read Lamp ffe1 --timeout 6s", 1,
        "blectl: cannot read ffe1 of Lamp: the device requires pairing with a passkey, or has lost its keys of this pairing",
        "hint: blectl unpair \(lamp), then blectl pair \(lamp) on a terminal"),
      Situation(
        "the device is paired, and its value wants more",
        in: .lamp(
          #""properties": ["read"], "security": "encrypted""#, #""pairing": {}"#,
          world:
            #""events": [{"at": "0s", "do": "fail-call", "method": "ReadValue", "error": "NotPermitted", "#
            + #""text": "Not paired", "times": 2}]"#),
        "blectl read Lamp 2a19 --pair -q", 1,
        "blectl: cannot read 2a19 of Lamp: the device requires pairing with a passkey, or has lost its keys of this pairing",
        "hint: blectl unpair \(lamp), then blectl pair \(lamp) on a terminal"),
      commands(
        "a device that is paired already", in: lamp(""), "blectl pair Lamp -q; blectl pair Lamp", 1,
        "blectl: cannot pair with Lamp: the device is paired already",
        "hint: blectl unpair \(lamp), to pair again"),
      commands(
        "a pairing that is too weak",
        in: demanding(),
        "blectl pair Lamp -q; blectl read Lamp ffe1 --timeout 6s", 5,
        "blectl: cannot read ffe1 of Lamp: no answer before the timeout",
        "hint: use a longer --timeout, or move closer to the device; if it requires a passkey: blectl unpair \(lamp), and pair again with --passkey N or on a terminal"
      ),
      commands(
        "a pairing that is too weak, with --pair and no passkey",
        in: demanding(),
        "blectl pair Lamp -q; blectl read Lamp ffe1 --pair --timeout 6s", 5,
        "blectl: cannot read ffe1 of Lamp: no answer before the timeout; if the device requires a passkey, there is no way to ask a person for it",
        "hint: use a longer --timeout, or move closer to the device; if it requires a passkey: blectl unpair \(lamp), and pair again with --passkey N or on a terminal"
      ),
      commands(
        "a battery level that needs a better pairing, before BlueZ 5.83",
        in: demandingBattery,
        "blectl pair Lamp -q; sleep 3; blectl read Lamp ffe1 --timeout 6s", 5,
        "blectl: cannot connect to Lamp: there is a link, but BlueZ does not know the services yet: the battery level (2a19), which BlueZ reads first, may require pairing with a passkey",
        "hint: use a longer --timeout, or move closer to the device; if it requires a passkey: blectl unpair \(lamp), and pair again with --passkey N or on a terminal"
      ),
      commands(
        "a battery level that needs a better pairing",
        in: demandingBattery, bluez: "--bluez 5.87 ",
        "blectl pair Lamp -q; sleep 3; blectl read Lamp ffe1", 1,
        "blectl: cannot connect to Lamp: BlueZ ends each link: the battery level (2a19), which BlueZ reads first, seems to require pairing with a passkey",
        "hint: if it requires a passkey: blectl unpair \(lamp), and pair again with --passkey N or on a terminal"
      ),
      Situation(
        "a wrong passkey, with --pair",
        in: .world(
          """
          {"peripherals": [{"address": "C0:00:00:00:00:01", "name": "Lamp",
            "pairing": {"capability": "display-only", "passkey": "042017"}, "services": [{"uuid": "ffe0", "characteristics":
              [{"uuid": "ffe1", "value": "57", "properties": ["read"], "security": "authenticated"}]}]}]}
          """),
        "blectl read Lamp ffe1 --pair --passkey 1", 1,
        "blectl: cannot read ffe1 of Lamp: the pairing failed: the passkey is wrong, or the device refused",
        "hint: blectl pair \(lamp), with the passkey that it shows or is labelled with"),
      Situation(
        "a value that needs a passkey, with --pair and nobody to ask", in: demanding(),
        "blectl read Lamp ffe1 --pair --timeout 6s </dev/null", 5,
        "blectl: cannot read ffe1 of Lamp: no answer before the timeout; if the device requires a passkey, there is no way to ask a person for it",
        "hint: use a longer --timeout, or move closer to the device; if it requires a passkey: blectl unpair \(lamp), and pair again with --passkey N or on a terminal"
      ),
      Situation(
        "a device that insists on a passkey, with --pair and nobody to ask",
        in: demanding(#""capability": "display-only", "mitm": "required""#),
        "blectl read Lamp ffe1 --pair </dev/null", 1,
        "blectl: cannot read ffe1 of Lamp: the link was lost; the device may have refused to pair, or want a passkey, and there is no way to ask a person for it",
        "hint: add --pair on a terminal, or --pair --passkey N with the passkey that it shows or is labelled with"
      ),
      Situation(
        "a device that refuses to pair, with --pair",
        in: demanding(#""capability": "display-only", "request": "refuse""#),
        "blectl read Lamp ffe1 --pair --passkey 1", 1,
        "blectl: cannot read ffe1 of Lamp: the link was lost; the device may have refused to pair",
        "hint: blectl pair \(lamp) tells why, if it refuses to pair"),
      commands(
        "a better pairing, with a wrong passkey", in: demanding(bonding),
        "blectl pair Lamp -q; blectl read Lamp ffe1 --pair --passkey 1", 1,
        "blectl: cannot read ffe1 of Lamp: the pairing failed: the passkey is wrong, or the device refused",
        "hint: if it requires a passkey: blectl unpair \(lamp), and pair again with --passkey N or on a terminal"
      ),
      commands(
        "a value whose better pairing has failed before, since BlueZ 5.81", in: demanding(bonding),
        bluez: "--bluez 5.82 ",
        "blectl pair Lamp -q; blectl read Lamp ffe1 --pair --passkey 1 -q 2>/dev/null; "
          + "blectl read Lamp ffe1 --pair --passkey 042017 --timeout 6s", 5,
        "blectl: cannot read ffe1 of Lamp: no answer before the timeout; if a pairing for it has failed before, BlueZ never answers it again",
        "hint: use a longer --timeout, or move closer to the device; if it requires a passkey: blectl unpair \(lamp), and pair again with --passkey N or on a terminal"
      ),
      Situation(
        "the device has lost the bond",
        in: .lamp(fault: #""do": "refuse-connect", "error": "Failed", "text": "le-connection-key-missing""#),
        "blectl connect Lamp", 1,
        "blectl: cannot connect to Lamp: the device has lost the keys of the pairing (le-connection-key-missing)",
        "hint: blectl unpair \(lamp), then blectl pair \(lamp)"),
      commands(
        "BlueZ has lost the bond",
        in: .world(
          """
          {"peripherals": [{"address": "C0:00:00:00:00:01", "name": "Lamp", "pairing": {}, "services": [{"uuid": "ffe0",
            "characteristics": [{"uuid": "ffe1", "properties": ["notify"], "security": "encrypted"}]}]}]}
          """),
        "blectl pair Lamp -q; blectl subscribe Lamp ffe1 --reconnect --timeout 3s -q --json | "
          + "(read; blectl unpair Lamp -q; cat >/dev/null)", 1,
        "blectl: cannot subscribe to ffe1 of Lamp: BlueZ has lost the keys of the pairing",
        "hint: blectl pair \(lamp); if it refuses, delete this computer there, and blectl unpair \(lamp)"),
      commands(
        "a device that is blocked", in: lamp(""), "blectl block Lamp -q; blectl connect Lamp", 1,
        "blectl: cannot connect to Lamp: the device is blocked", "hint: blectl unblock \(lamp)"),
      commands(
        "a device that BlueZ does not know", in: lamp(""), "blectl unpair Lamp", 4,
        "blectl: cannot unpair Lamp: BlueZ knows no such device", "hint: blectl devices"),
      Situation(
        "a passkey of seven digits", in: .noBus, "blectl pair Lamp --passkey 1234567", 64,
        "blectl: cannot run 'pair': --passkey: a passkey is a number of up to six digits",
        "hint: blectl pair --help"),
      Situation(
        "an unknown capability", in: .noBus, "blectl pair Lamp --capability keyboard", 64,
        "blectl: cannot run 'pair': --capability: unknown capability 'keyboard'; did you mean keyboard-only?",
        "hint: blectl pair --help"),
    ])
}
