// SPDX-License-Identifier: MIT

extension SituationGroup {
  static let unavailable = SituationGroup(
    title: "Bluetooth is not available",
    situations: [
      Situation(
        "there is no bus", in: .noBus, "blectl scan", 3,
        "blectl: cannot reach the system bus: Failed to connect to socket /nonexistent: No such file or directory",
        "hint: blectl doctor; without a radio, add --simulate"),
      Situation(
        "an address that is none of a bus", in: .noBus, "blectl scan --bus nonsense", 3,
        "blectl: cannot reach the bus nonsense: Address does not contain a colon",
        "hint: blectl doctor; without a radio, add --simulate"),
      Situation(
        "bluetoothd does not run", in: .emptyBus, "blectl scan", 3,
        "blectl: cannot scan: the Bluetooth service (org.bluez) is not running",
        "hint: sudo systemctl start bluetooth"),
      Situation(
        "bluetoothd ends in the middle",
        in: .lamp(event: #""when": {"operations": 3, "device": "C0:00:00:00:00:01"}, "do": "kill-daemon""#),
        "blectl read Lamp 2a19 --every 10ms >/dev/null", 3,
        "blectl: cannot read 2a19 of C0:00:00:00:00:01: the Bluetooth service (bluetoothd) ended",
        "hint: sudo systemctl start bluetooth"),
      Situation(
        "the bus denies access", in: .denyingBus, "blectl devices", 3,
        "blectl: cannot talk to the Bluetooth service: the policy of the bus does not permit it",
        "hint: blectl doctor"),
      Situation(
        "there is no adapter", in: .lamp(world: #""adapters": []"#), "blectl scan", 3,
        "blectl: cannot scan: there is no Bluetooth adapter",
        "hint: blectl adapter list; without a radio, add --simulate"),
      Situation(
        "there is no such adapter", in: .builtIn, "blectl scan --adapter hci7", 3,
        "blectl: cannot scan: there is no Bluetooth adapter hci7",
        "hint: blectl adapter list; without a radio, add --simulate"),
      Situation(
        "the adapter is off", in: .lamp(world: #""adapters": [{"powered": false}]"#), "blectl read Lamp 2a19",
        3,
        "blectl: cannot scan: the adapter hci0 is off", "hint: blectl adapter on"),
      Situation(
        "advertising while the adapter is off", in: .lamp(world: #""adapters": [{"powered": false}]"#),
        "blectl advertise --bthome battery=80", 3,
        "blectl: cannot advertise: the adapter hci0 is off", "hint: blectl adapter on"),
      Situation(
        "switching a blocked adapter on", in: .lamp(world: #""adapters": [{"blocked": true}]"#),
        "blectl adapter on", 3, "blectl: cannot switch hci0 on: the radio is blocked (rfkill)",
        "hint: sudo rfkill unblock bluetooth"),
      Situation(
        "the adapter is switched off in the middle",
        in: .lamp(event: #""when": {"operations": 3, "device": "C0:00:00:00:00:01"}, "do": "adapter-off""#),
        "blectl read Lamp 2a19 --every 10ms >/dev/null", 3,
        "blectl: cannot read 2a19 of C0:00:00:00:00:01: the adapter hci0 is off", "hint: blectl adapter on"),
      Situation(
        "the adapter is unplugged in the middle",
        in: .lamp(
          event: #""when": {"operations": 3, "device": "C0:00:00:00:00:01"}, "do": "remove-adapter""#),
        "blectl read Lamp 2a19 --every 10ms >/dev/null", 3,
        "blectl: cannot read 2a19 of C0:00:00:00:00:01: there is no Bluetooth adapter",
        "hint: blectl adapter list; without a radio, add --simulate"),
      Situation(
        "doctor finds a fault", in: .noBus, "blectl doctor >/dev/null", 3,
        "blectl: cannot use Bluetooth: the bus unix:path=/nonexistent is not there: Failed to connect to socket /nonexistent: No such file or directory",
        "hint: give another --bus, or unset DBUS_SYSTEM_BUS_ADDRESS"),
      Situation(
        "the simulation cannot start", in: .noBus, "TMPDIR=/nonexistent blectl scan --simulate", 3,
        "blectl: cannot start the simulated BlueZ: its private bus did not start: no directory in /nonexistent: No such file or directory"
      ),
    ])
}
