// SPDX-License-Identifier: MIT

extension SituationGroup {
  private static let lamp = "C0:00:00:00:00:01"

  /// What `doctor DEVICE` finds; `DeviceCauseTests` plays the causes that take more than one command.
  static let examined = SituationGroup(
    title: "A device that cannot be used (doctor DEVICE)",
    situations: [
      Situation(
        "doctor: the adapter is off", in: .lamp(world: #""adapters": [{"powered": false}]"#),
        "blectl doctor Lamp", 3,
        "blectl: cannot use Lamp: the adapter hci0 is off", "hint: blectl adapter on"),
      Situation(
        "doctor: the device is not heard", in: .builtIn, "blectl doctor D0:00:00:00:00:0D --timeout 4s", 1,
        "blectl: cannot use D0:00:00:00:00:0D: it is not heard: it is off, out of range, or connected to another device",
        "hint: blectl scan, with the device switched on and close by"),
      Situation(
        "doctor: a device that cannot be connected to",
        in: .lamp(#""properties": ["read"]"#, #""advertisement": {"connectable": false}"#),
        "blectl doctor Lamp", 1,
        "blectl: cannot use Lamp: it advertises, but accepts no connections",
        "hint: blectl scan --address \(lamp) --duplicates prints its advertisements, blectl listen \(lamp) their values"
      ),
      Situation(
        "doctor: the signal is too weak",
        in: .lamp(
          #""properties": ["read"]"#,
          #""rssi": -95, "faults": [{"do": "refuse-connect"}]"#),
        "blectl doctor Lamp --timeout 6s", 1, "blectl: cannot use Lamp: its signal is too weak",
        "hint: blectl scan --address \(lamp) --duplicates shows its signal while you move closer"),
      Situation(
        "doctor: the adapter has too many links",
        in: .lamp(
          fault:
            #""do": "refuse-connect", "error": "Failed", "text": "le-connection-concurrent-connection-limit""#
        ),
        "blectl doctor Lamp", 1, "blectl: cannot use Lamp: the adapter has no room for another link",
        "hint: blectl devices --connected, and blectl disconnect one of them"),
      Situation(
        "doctor: no link comes about",
        in: .lamp(fault: #""do": "refuse-connect", "error": "Failed", "text": "le-connection-refused""#),
        "blectl doctor Lamp", 1, "blectl: cannot use Lamp: it is heard, but no link comes about",
        "hint: sudo systemctl restart bluetooth, and restart the device"),
      Situation(
        "doctor: services do not come", in: .lamp(fault: #""do": "delay-services", "by": "1h""#),
        "blectl doctor Lamp --timeout 4s", 1,
        "blectl: cannot use Lamp: there is a link, but its services cannot be discovered",
        "hint: a longer --timeout; if they never come: blectl forget \(lamp), and restart the device"),
      Situation(
        "doctor: links are lost at once", in: .lamp(fault: #""do": "drop-after-time", "time": "300ms""#),
        "blectl doctor Lamp", 1, "blectl: cannot use Lamp: its links are lost as soon as they stand",
        "hint: sudo btmon -w trace.btsnoop records who ends the link; restarting the device may help"),
      commands(
        "doctor: attributes that the device no longer has",
        in: .lamp(levelFault: #""do": "att-error", "code": "0x01""#),
        "blectl connect Lamp -q; blectl disconnect Lamp -q; blectl doctor Lamp >/dev/null", 1,
        "blectl: cannot use Lamp: BlueZ uses attributes that the device no longer has: its firmware was changed",
        "hint: blectl forget \(lamp), then connect again"),
      Situation(
        "doctor: values require pairing", in: .lamp(#""properties": ["read"], "security": "encrypted""#),
        "blectl doctor Lamp", 1, "blectl: cannot use Lamp: it requires pairing",
        "hint: blectl pair \(lamp)"),
      Situation(
        "doctor: the device does not answer", in: .lamp(levelFault: #""do": "no-answer""#),
        "blectl doctor Lamp", 1,
        "blectl: cannot use Lamp: it does not answer requests",
        "hint: blectl disconnect \(lamp), and restart the device"),
      Situation(
        "doctor: one value is not answered",
        in: .world(
          #"""
          {"peripherals": [{"address": "C0:00:00:00:00:01", "name": "Lamp", "services": [{"uuid": "fff0",
            "characteristics": [{"uuid": "fff1", "properties": ["read"], "faults": [{"do": "no-answer"}]},
              {"uuid": "fff2", "properties": ["read"], "value": "01"}]}]}]}
          """#), "blectl doctor Lamp", 1,
        "blectl: cannot use Lamp: it answers requests, but not those for fff1",
        "hint: blectl read \(lamp) CHAR, for each of the others; or restart the device"),
      Situation(
        "doctor: the device refuses to pair",
        in: .world(
          #"""
          {"peripherals": [{"address": "C0:00:00:00:00:01", "name": "Lamp", "pairing": {"request": "refuse"},
            "services": [{"uuid": "fff0", "characteristics": [
              {"uuid": "fff1", "properties": ["read"], "value": "01", "security": "encrypted"}]}]}]}
          """#), "blectl doctor Lamp", 1,
        "blectl: cannot use Lamp: its link ends when fff1 is read: it seems to require pairing, and to refuse it",
        "hint: blectl pair \(lamp) tells why, if it refuses to pair"),
      Situation(
        "doctor: the adapter hears nothing",
        in: .lamp(world: #""events": [{"at": "0s", "do": "silence-adapter", "until": "reset"}]"#),
        "blectl doctor Lamp --timeout 4s", 1,
        "blectl: cannot use Lamp: neither it nor any other device is heard: the adapter may have stopped working",
        "hint: blectl adapter reset; if it stays silent: sudo systemctl restart bluetooth"),
      Situation(
        "doctor: bluetoothd hangs",
        in: .lamp(event: #""when": {"connected": "C0:00:00:00:00:01"}, "do": "freeze-daemon""#),
        "blectl doctor Lamp --timeout 6s", 3,
        "blectl: cannot use Lamp: the Bluetooth service (bluetoothd) does not answer",
        "hint: sudo systemctl restart bluetooth"),
      Situation(
        "doctor: bluetoothd ends",
        in: .lamp(event: #""when": {"connected": "C0:00:00:00:00:01"}, "do": "kill-daemon""#),
        "blectl doctor Lamp",
        3, "blectl: cannot use Lamp: the Bluetooth service (bluetoothd) ended",
        "hint: sudo systemctl start bluetooth; if it ends again: blectl scan, then blectl forget \(lamp)"),
    ])
}
