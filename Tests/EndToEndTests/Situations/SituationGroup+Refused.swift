// SPDX-License-Identifier: MIT

extension SituationGroup {
  static let refused = SituationGroup(
    title: "The operation failed",
    situations: [
      Situation(
        "the link cannot be made",
        in: .lamp(fault: #""do": "refuse-connect", "error": "Failed", "text": "le-connection-refused""#),
        "blectl connect Lamp", 1,
        "blectl: cannot connect to Lamp: the connection could not be made (le-connection-refused)",
        "hint: blectl doctor C0:00:00:00:00:01 looks for the cause"),
      Situation(
        "each link is lost before the services are known",
        in: .world(
          """
          {"peripherals": [{"address": "C0:00:00:00:00:01", "name": "Lamp",
            "faults": [{"do": "delay-services", "by": "3s"}, {"do": "drop-after-time", "time": "700ms"}],
            "services": [{"uuid": "180f", "characteristics": [{"uuid": "2a19", "properties": ["read"], "value": "57"}]}]}]}
          """),
        "blectl read Lamp 2a19 --timeout 3s", 1,
        "blectl: cannot connect to Lamp: the link was lost before the services were known",
        "hint: blectl doctor C0:00:00:00:00:01 looks for the cause"),
      Situation(
        "a device that cannot be connected to",
        in: .lamp(#""properties": ["read"]"#, #""advertisement": {"connectable": false}"#),
        "blectl connect Lamp", 1,
        "blectl: cannot connect to Lamp: it accepts no connections (BlueZ forgets it after each scan)",
        "hint: blectl scan --address C0:00:00:00:00:01 prints its advertisements"),
      Situation(
        "the link is lost", in: .lamp(fault: #""do": "drop-after-operations", "operations": 5"#),
        "blectl read Lamp 2a19 --every 10ms >/dev/null", 1,
        "blectl: cannot read 2a19 of Lamp: the link was lost"),
      Situation(
        "the link is lost under a subscription",
        in: .lamp(fault: #""do": "drop-after-time", "time": "1s""#), "blectl subscribe Lamp 2a19 -q", 1,
        "blectl: notifications stopped: the link was lost"),
      Situation(
        "an expectation of a script that is not met", in: .builtIn, "blectl run 'Heart Strap' test.ble", 1,
        "blectl: test.ble:2: cannot get 00 from 2a19: the value was 57", "  expect 2a19 00 --read",
        files: ["test.ble": "write 2a39 01\nexpect 2a19 00 --read\n"]),
      Situation(
        "what cannot be read", in: .builtIn, "blectl read 'Heart Strap' 2a39", 1,
        "blectl: cannot read 2a39 of Heart Strap: the device does not permit it (ATT 0x02 read not permitted)"
      ),
      Situation(
        "what only notifies", in: .builtIn, "blectl read 'Heart Strap' 2a37", 1,
        "blectl: cannot read 2a37 of Heart Strap: the device does not permit it (ATT 0x02 read not permitted)",
        "hint: blectl subscribe F0:F1:F2:F3:F4:F5 2a37"),
      Situation(
        "what cannot be written", in: .builtIn, "blectl write 'Heart Strap' 2a38 01", 1,
        "blectl: cannot write 2a38 of Heart Strap: the device does not permit it (ATT 0x03 write not permitted)"
      ),
      Situation(
        "what cannot be subscribed to", in: .builtIn, "blectl subscribe Piano ffe3", 1,
        "blectl: cannot subscribe to ffe3 of Piano: the characteristic supports neither notifications nor indications"
      ),
      Situation(
        "what can only be read", in: .builtIn, "blectl subscribe 'Heart Strap' 2a38", 1,
        "blectl: cannot subscribe to 2a38 of Heart Strap: the characteristic supports neither notifications nor indications",
        "hint: blectl read F0:F1:F2:F3:F4:F5 2a38 --every 1s"),
      Situation(
        "serial: the two directions are confused", in: .builtIn,
        "blectl serial Piano --rx ffe2 --tx ffe3 </dev/null", 1,
        "blectl: cannot use ffe2 of Piano as a serial port: it cannot be written",
        "hint: --rx is what the device receives on: --rx ffe3 --tx ffe2"),
      Situation(
        "the device requires pairing",
        in: .lamp(
          event: #""at": "0s", "do": "fail-call", "method": "ReadValue", "error": "NotPermitted", "#
            + #""text": "Not paired""#),
        "blectl read Lamp 2a19", 1,
        "blectl: cannot read 2a19 of Lamp: the device requires pairing",
        "hint: blectl pair C0:00:00:00:00:01, or add --pair"),
      Situation(
        "the device wants authorisation", in: .lamp(levelFault: #""do": "att-error", "code": "0x08""#),
        "blectl read Lamp 2a19", 1,
        "blectl: cannot read 2a19 of Lamp: the device refuses (ATT 0x08 insufficient authorization)"
      ),
      Situation(
        "an offset outside of the value", in: .lamp(), "blectl read Lamp 2a19 --offset 4", 1,
        "blectl: cannot read 2a19 of Lamp: the device refuses (ATT 0x07 invalid offset)"),
      Situation(
        "a part of a value that fits into a packet", in: .lamp(), "blectl read Lamp 2a19 --offset 1", 1,
        "blectl: cannot read 2a19 of Lamp: the device refuses (ATT 0x0b attribute not long)",
        "hint: blectl read C0:00:00:00:00:01 2a19, without --offset: the device gives out a value this short only whole"
      ),
      Situation(
        "a value that is too long for it", in: .lamp(#""properties": ["write"], "max_length": 2"#),
        "blectl write Lamp 2a19 010203", 1,
        "blectl: cannot write 2a19 of Lamp: the device refuses (ATT 0x0d invalid attribute value length): the value has 3 bytes"
      ),
      Situation(
        "an attribute that the device does not have",
        in: .lamp(levelFault: #""do": "att-error", "code": "0x01""#),
        "blectl read Lamp 2a19", 1,
        "blectl: cannot read 2a19 of Lamp: the device refuses (ATT 0x01 invalid handle)",
        "hint: blectl services C0:00:00:00:00:01; if its firmware was changed: blectl forget C0:00:00:00:00:01"
      ),
      Situation(
        "a device whose services have changed", in: .lamp(levelFault: #""do": "att-error", "code": "0x12""#),
        "blectl read Lamp 2a19", 1,
        "blectl: cannot read 2a19 of Lamp: the device refuses (ATT 0x12 database out of sync)",
        "hint: blectl services C0:00:00:00:00:01, and try again: they have changed"),
      Situation(
        "an error of the application", in: .lamp(levelFault: #""do": "att-error", "code": "0x85""#),
        "blectl read Lamp 2a19", 1,
        "blectl: cannot read 2a19 of Lamp: the device refuses (ATT 0x85 application error)"),
      Situation(
        "the same, with its causes", in: .lamp(levelFault: #""do": "att-error", "code": "0x85""#),
        "blectl read Lamp 2a19 -v", 1,
        "blectl: cannot read 2a19 of Lamp: the device refuses (ATT 0x85 application error)",
        "cause: Lamp is C0:00:00:00:00:01", "cause: D-Bus error org.bluez.Error.Failed",
        "cause: ATT 0x85 application error"),
      Situation(
        "one of several values is refused",
        in: twoValues(#""faults": [{"do": "att-error", "code": "0x85"}]"#),
        "blectl read Lamp 2a06 2a19 >/dev/null", 1,
        "blectl: cannot read 2a06 of Lamp: the device refuses (ATT 0x85 application error)",
        "blectl: cannot read 1 of 2 values of Lamp"),
      Situation(
        "a value that is not of the format", in: .lamp(#""properties": ["read"]"#),
        "blectl read Lamp 2a19 --as u16", 1,
        "blectl: cannot show 2a19 of Lamp as u16: 57 is 1 byte"),
      Situation(
        "an error while subscribing", in: .lamp(levelFault: #""do": "att-error", "code": "0x80""#),
        "blectl subscribe Lamp 2a19", 1,
        "blectl: cannot subscribe to 2a19 of Lamp: the device refuses (ATT 0x80 application error)"
      ),
      Situation(
        "another request never ends",
        in: .lamp(event: #""at": "0s", "do": "fail-call", "method": "ReadValue""#),
        "blectl read Lamp 2a19 --timeout 4s", 1,
        "blectl: cannot read 2a19 of Lamp: an operation of the same kind is under way",
        "hint: stop the other program that uses it, or try again"),
      Situation(
        "another program connects to the device, or one that was killed did so",
        in: .lamp(
          event: #""at": "0s", "do": "fail-call", "method": "Connect", "error": "Failed", "#
            + #""text": "Operation already in progress""#),
        "blectl read Lamp 2a19 --timeout 4s", 1,
        "blectl: cannot connect to Lamp: BlueZ connects to it already, for another program or for one that has ended",
        "hint: blectl disconnect C0:00:00:00:00:01, if no other program connects to it; else try again later"),
      Situation(
        "another program holds the characteristic",
        in: .lamp(
          event: #""at": "0s", "do": "fail-call", "method": "StartNotify", "error": "NotPermitted", "#
            + #""text": "Notify acquired""#),
        "blectl subscribe Lamp 2a19", 1,
        "blectl: cannot subscribe to 2a19 of Lamp: another program holds the characteristic (Notify acquired)",
        "hint: stop the other program that uses it, or try again"),
      Situation(
        "too long for a write without response",
        in: .lamp(#""properties": ["write-without-response"]"#, #""mtu": 23"#),
        "blectl write Lamp 2a19 --no-response --from values.txt", 1,
        "blectl: cannot write 2a19 of Lamp: 21 bytes do not fit a write without response: 20 at most",
        "  at line 1; 0 of 1 values were handed over",
        files: ["values.txt": String(repeating: "01", count: 21) + "\n"]),
      Situation(
        "too many advertisements",
        in: .lamp(
          event: #""at": "0s", "do": "fail-call", "method": "RegisterAdvertisement", "#
            + #""error": "NotPermitted", "text": "Maximum advertisements reached""#),
        "blectl advertise --bthome battery=80", 1,
        "blectl: cannot advertise: the adapter has no room for another advertisement",
        "hint: stop the other programs that advertise"),
      Situation(
        "a passive scan without experimental features", in: .unexperimental, "blectl scan --passive", 1,
        "blectl: cannot scan passively: bluetoothd offers it only with experimental features on",
        "hint: start bluetoothd with --experimental, or with Experimental=true in /etc/bluetooth/main.conf"),
      Situation(
        "one of the devices of --all fails", in: .lamp(#""properties": ["read"]"#),
        "blectl subscribe 'Lamp*' 2a19 --all --duration 5s -q", 1,
        "blectl: cannot subscribe to 2a19 of C0:00:00:00:00:01: the characteristic supports neither notifications nor indications",
        "hint: blectl read C0:00:00:00:00:01 2a19 --every 1s", "blectl: cannot continue with 1 of 1 devices"),
    ])
}

extension SituationGroup {
  static let unavailable = SituationGroup(
    title: "Bluetooth is not available",
    situations: [
      Situation(
        "there is no bus", in: .noBus, "blectl scan", 3,
        "blectl: cannot reach the system bus: Failed to connect to socket /nonexistent: No such file or directory",
        "hint: blectl doctor; without a radio, add --simulate"),
      Situation(
        "an invalid bus address", in: .noBus, "blectl scan --bus nonsense", 3,
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
        "blectl: cannot read 2a19 of Lamp: the Bluetooth service (bluetoothd) ended",
        "hint: sudo systemctl start bluetooth"),
      Situation(
        "bluetoothd hangs",
        in: .lamp(event: #""when": {"operations": 3, "device": "C0:00:00:00:00:01"}, "do": "freeze-daemon""#),
        "blectl read Lamp 2a19 --every 10ms --timeout 4s >/dev/null", 3,
        "blectl: cannot read 2a19 of Lamp: the Bluetooth service (bluetoothd) does not answer",
        "hint: sudo systemctl restart bluetooth"),
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
        "listening for a time in which the adapter is off",
        in: .lamp(world: #""adapters": [{"powered": false}]"#),
        "blectl listen --duration 300ms", 3, "waiting for the adapter to be switched on (blectl adapter on)",
        "blectl: cannot listen: Bluetooth was not available before the end of --duration",
        "hint: blectl doctor"),
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
        "blectl: cannot read 2a19 of Lamp: the adapter hci0 is off", "hint: blectl adapter on"),
      Situation(
        "the adapter is unplugged in the middle",
        in: .lamp(
          event: #""when": {"operations": 3, "device": "C0:00:00:00:00:01"}, "do": "remove-adapter""#),
        "blectl read Lamp 2a19 --every 10ms >/dev/null", 3,
        "blectl: cannot read 2a19 of Lamp: there is no Bluetooth adapter",
        "hint: blectl adapter list; without a radio, add --simulate"),
      Situation(
        "doctor finds a fault", in: .noBus, "blectl doctor >/dev/null", 3,
        "blectl: cannot use Bluetooth: the bus unix:path=/nonexistent cannot be reached: Failed to connect to socket /nonexistent: No such file or directory",
        "hint: give another --bus, or unset DBUS_SYSTEM_BUS_ADDRESS"),
      Situation(
        "the simulation cannot start", in: .noBus, "TMPDIR=/nonexistent blectl scan --simulate", 3,
        "blectl: cannot start the simulated BlueZ: its private bus did not start: no directory in /nonexistent: No such file or directory"
      ),
    ])
}
