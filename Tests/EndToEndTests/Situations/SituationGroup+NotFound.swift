// SPDX-License-Identifier: MIT
internal import Glibc

extension SituationGroup {
  private static let twoLamps = Situation.Place.world(
    #"""
    {"peripherals": [{"address": "C0:00:00:00:00:01", "name": "Lamp"}, {"address": "C0:00:00:00:00:02", "name": "Lamp"}]}
    """#)

  private static let twoLevels = Situation.Place.world(
    #"""
    {"peripherals": [{"address": "C0:00:00:00:00:01", "name": "Lamp", "services": [
      {"uuid": "180f", "characteristics": [{"uuid": "2a19", "properties": ["read"], "value": "57"}]},
      {"uuid": "fff0", "characteristics": [{"uuid": "2a19", "properties": ["read"], "value": "58"}]}]}]}
    """#)

  /// A device with two values, the second of which has further keys.
  static func twoValues(_ second: String) -> Situation.Place {
    .world(
      """
      {"peripherals": [{"address": "C0:00:00:00:00:01", "name": "Lamp", "services": [{"uuid": "180f",
        "characteristics": [{"uuid": "2a19", "properties": ["read"], "value": "57"},
          {"uuid": "2a06", "properties": ["read"], "value": "00", \(second)}]}]}]}
      """)
  }

  /// A world file with two devices.
  private static let twoNames = [
    "lamps.json":
      #"""
    {"peripherals": [{"address": "C0:00:00:00:00:01", "name": "Lamp"}, {"address": "C0:00:00:00:00:02", "name": "Lantern"}]}
    """#
  ]

  static let notFound = SituationGroup(
    title: "Not found, or ambiguous",
    situations: [
      Situation(
        "the device is not heard", in: .builtIn, "blectl read D0:00:00:00:00:0D 2a19 --timeout 4s", 4,
        "blectl: cannot find D0:00:00:00:00:0D: not found before the timeout",
        "hint: blectl scan; a device that is connected elsewhere does not advertise"),
      Situation(
        "a misspelt device name", in: .builtIn, "blectl read Tnermometer 2a6e --timeout 4s", 4,
        "blectl: cannot find Tnermometer: not found before the timeout; did you mean Thermometer?",
        "hint: blectl scan; a device that is connected elsewhere does not advertise"),
      Situation(
        "a misspelt word of a device name", in: .builtIn, "blectl read Hart 2a38 --timeout 4s", 4,
        "blectl: cannot find Hart: not found before the timeout; did you mean Heart Strap?",
        "hint: blectl scan; a device that is connected elsewhere does not advertise"),
      Situation(
        "several devices have that name", in: twoLamps, "blectl info Lamp", 4,
        "blectl: cannot choose a device: 'Lamp' matches 2 devices", "  C0:00:00:00:00:01 Lamp",
        "  C0:00:00:00:00:02 Lamp", "hint: use the address, or --pick strongest"),
      Situation(
        "several devices of a subscription have that name", in: twoLamps, "blectl subscribe Lamp 2a19", 4,
        "blectl: cannot choose a device: 'Lamp' matches 2 devices", "  C0:00:00:00:00:01 Lamp",
        "  C0:00:00:00:00:02 Lamp", "hint: use the address, or --pick strongest, or --all for each of them"),
      Situation(
        "several devices of a read have that name", in: twoLamps, "blectl read 'La*' 2a19", 4,
        "blectl: cannot choose a device: 'La*' matches 2 devices", "  C0:00:00:00:00:01 Lamp",
        "  C0:00:00:00:00:02 Lamp",
        "hint: use the address, or --pick strongest, or for the values of each: blectl subscribe 'La*' 2a19 --all --read-first"
      ),
      Situation(
        "none of the devices of --all is heard", in: .builtIn,
        "blectl subscribe 'Lamp*' 2a19 --all --timeout 4s", 4,
        "blectl: cannot find Lamp*: none was found before the timeout",
        "hint: blectl scan; a device that is connected elsewhere does not advertise"),
      Situation(
        "disconnecting from an unknown device", in: .builtIn, "blectl disconnect Piano", 4,
        "blectl: cannot disconnect from Piano: BlueZ knows no such device", "hint: blectl devices --connected"
      ),
      Situation(
        "serve: the file has several devices", in: .noBus, "blectl serve lamps.json", 4,
        "blectl: cannot choose a device: lamps.json has 2", "  C0:00:00:00:00:01 Lamp",
        "  C0:00:00:00:00:02 Lantern", "hint: blectl serve lamps.json PERIPHERAL", files: twoNames),
      Situation(
        "serve: a misspelt device of the file", in: .noBus, "blectl serve lamps.json lanturn", 4,
        "blectl: cannot serve lanturn: no such device in lamps.json; did you mean Lantern?",
        "  C0:00:00:00:00:01 Lamp", "  C0:00:00:00:00:02 Lantern", files: twoNames),
      Situation(
        "an unknown adapter", in: .builtIn, "blectl adapter -i hci3", 4,
        "blectl: cannot find hci3: no such adapter", "  hci0 00:1A:7D:DA:71:13",
        "hint: blectl adapter list"),
      Situation(
        "an unknown characteristic", in: .builtIn, "blectl read Piano battery-level", 4,
        "blectl: cannot find battery-level on Piano: no such characteristic",
        "hint: blectl services D0:B5:C2:0A:0B:0C"),
      Situation(
        "serial: a device without a known serial service", in: .builtIn, "blectl serial Piano </dev/null", 4,
        "blectl: cannot find the serial port of Piano: it has no service that is known as one",
        "  ffe0/ffe2 @0007 notify", "  ffe1/ffe3 @000b write",
        "hint: blectl serial D0:B5:C2:0A:0B:0C --rx CHAR --tx CHAR, if two of these are one"),
      Situation(
        "an unknown handle", in: .builtIn, "blectl read Piano @00ff", 4,
        "blectl: cannot find @00ff on Piano: no such characteristic",
        "hint: blectl services D0:B5:C2:0A:0B:0C"),
      Situation(
        "the handle of a descriptor", in: .builtIn, "blectl write Piano @0009 0100", 4,
        "blectl: cannot find @0009 on Piano: it is a descriptor of ffe2",
        "hint: blectl subscribe D0:B5:C2:0A:0B:0C ffe2, to be notified; the descriptor itself: ffe2 --descriptor 2902"
      ),
      Situation(
        "a descriptor", in: .builtIn, "blectl write Piano 2902 0100", 4,
        "blectl: cannot find 2902 on Piano: it is a descriptor of ffe2",
        "hint: blectl subscribe D0:B5:C2:0A:0B:0C ffe2, to be notified; the descriptor itself: ffe2 --descriptor 2902"
      ),
      Situation(
        "the handle of a value", in: .builtIn, "blectl read Piano @0008", 4,
        "blectl: cannot find @0008 on Piano: it is the handle of the value of ffe2",
        "hint: use @0007, or ffe2"),
      Situation(
        "an ambiguous characteristic", in: twoLevels, "blectl read Lamp 2a19", 4,
        "blectl: cannot choose 2a19: Lamp has 2", "  180f/2a19 @0007", "  fff0/2a19 @000a",
        "hint: use SERVICE/CHAR, or a handle such as @0007"),
      Situation(
        "an unknown descriptor", in: .builtIn, "blectl read Piano ffe2 --descriptor 2901", 4,
        "blectl: cannot find descriptor 2901 of ffe2: no such descriptor", "  2902 @0009"),
      Situation(
        "a misspelt name that is waited for", in: .lamp(),
        "blectl subscribe Lampe 2a19 --reconnect --timeout 2s --reconnect-limit 3s", 4,
        "waiting for Lampe; did you mean Lamp?",
        "blectl: cannot find Lampe: not found before the timeout; did you mean Lamp?",
        "hint: blectl scan; a device that is connected elsewhere does not advertise"),
      Situation(
        "an unknown name", in: .noBus, "blectl uuid frobnicate", 4,
        "blectl: cannot find 'frobnicate': no such number or name"),
      Situation(
        "a misspelt name", in: .noBus, "blectl uuid hart-rate", 4,
        "blectl: cannot find 'hart-rate': no such number or name",
        "hint: blectl uuid heart-rate"),
      Situation(
        "a UUID in other marks", in: .noBus, "blectl uuid {0000180d-0000-1000-8000-00805f9b34fb}", 4,
        "blectl: cannot find '{0000180d-0000-1000-8000-00805f9b34fb}': a UUID is written without braces or other marks",
        "hint: blectl uuid 180d"),
      Situation(
        "values of unknown meaning", in: .noBus, "blectl decode fff1 00", 4,
        "blectl: cannot decode fff1: the meaning of its values is unknown",
        "hint: blectl help values"),
    ])

  static let timedOut = SituationGroup(
    title: "Timed out",
    situations: [
      Situation(
        "the device does not answer", in: .lamp(fault: #""do": "hang-connect""#),
        "blectl connect Lamp --timeout 4s", 5,
        "blectl: cannot connect to Lamp: no connection before the timeout",
        "hint: use a longer --timeout, or move closer to the device"),
      Situation(
        "service discovery takes too long", in: .lamp(fault: #""do": "delay-services", "by": "1h""#),
        "blectl services Lamp --timeout 4s", 5,
        "blectl: cannot connect to Lamp: there is a link, but BlueZ does not know the services yet",
        "hint: use a longer --timeout, or move closer to the device"),
      Situation(
        "no answer to a read", in: .lamp(levelFault: #""do": "no-answer", "operation": "read""#),
        "blectl read Lamp 2a19 --timeout 4s", 5,
        "blectl: cannot read 2a19 of Lamp: no answer before the timeout",
        "hint: use a longer --timeout, or move closer to the device"),
      Situation(
        "a battery level that is never answered",
        in: .world(
          """
          {"peripherals": [{"address": "C0:00:00:00:00:01", "name": "Lamp", "services": [
            {"uuid": "180f", "characteristics": [{"uuid": "2a19", "value": "57", "properties": ["read", "notify"],
              "faults": [{"do": "no-answer"}]}]},
            {"uuid": "ffe0", "characteristics": [{"uuid": "ffe1", "value": "01", "properties": ["read"]}]}]}]}
          """),
        "blectl read Lamp ffe1 --timeout 4s", 5,
        "blectl: cannot read ffe1 of Lamp: no answer before the timeout; the device may not have answered the battery level (2a19), which BlueZ reads first",
        "hint: use a longer --timeout, or move closer to the device"),
      Situation(
        "no value to measure", in: .lamp(), "blectl bench Lamp 2a19 --duration 1s >/dev/null", 5,
        "blectl: cannot measure 2a19 of Lamp: no value arrived",
        "hint: a longer --duration, or --read or --write VALUE, where the device sends nothing by itself"),
      Situation(
        "no answer to one of several reads", in: twoValues(#""on_read": "stall""#),
        "blectl services Lamp --read --timeout 4s >/dev/null", 5,
        "blectl: cannot read 2a06 of Lamp: no answer before the timeout",
        "blectl: cannot read 1 of 2 values of Lamp",
        "hint: use a longer --timeout, or move closer to the device"),
      Situation(
        "no answer to a write", in: .lamp(levelFault: #""do": "no-answer", "operation": "write""#),
        "blectl write Lamp 2a19 01 --timeout 4s", 5,
        "blectl: cannot write 2a19 of Lamp: no answer before the timeout",
        "  the device may still have received the value",
        "hint: use a longer --timeout, or move closer to the device"),
      Situation(
        "no notification as a reply", in: .builtIn,
        "blectl write Piano ffe3 00 --reply ffe2 --timeout 4s", 5,
        "blectl: cannot get a reply of ffe2: no value arrived before the timeout",
        "hint: use a longer --timeout, if the device takes its time to reply"),
    ])
}

extension SituationGroup {
  static let files = SituationGroup(
    title: "Files, outputs and other programs",
    situations: [
      Situation(
        "the folder of a log does not exist", in: .builtIn,
        "blectl subscribe Thermometer 2a6e --log logs/heart.csv", 1,
        "blectl: cannot write logs/heart.csv: No such file or directory"),
      Situation(
        "a log that is not a regular file", in: .builtIn,
        "ln -s /dev/null heart.csv; blectl subscribe Thermometer 2a6e --log heart.csv",
        1, "blectl: cannot write heart.csv: it is not a regular file"),
      Situation(
        "another process writes to the log", in: .builtIn,
        "flock -o heart.csv blectl subscribe Thermometer 2a6e --log heart.csv", 1,
        "blectl: cannot write heart.csv: flock (process PROCESS) is already writing to it"),
      Situation(
        "a log that is something else", in: .builtIn, "blectl subscribe Thermometer 2a6e --log heart.sqlite",
        1,
        "blectl: cannot write heart.sqlite: file is not a database",
        files: ["heart.sqlite": "no database at all\n"]),
      Situation(
        "no broker answers", in: .builtIn, "blectl subscribe Thermometer 2a6e --log mqtt://127.0.0.1:1/ble",
        1,
        "blectl: cannot write mqtt://127.0.0.1:1/ble: Connection refused",
        "hint: check that a broker listens on port 1 of 127.0.0.1; --reconnect waits for it"),
      // Not an unknown name, which is looked up: the message would depend on the network.
      Situation(
        "the host of the broker does not exist", in: .builtIn,
        "blectl subscribe Thermometer 2a6e --log mqtt://attic..example/ble", 1,
        "blectl: cannot write mqtt://attic..example/ble: Name or service not known",
        "hint: check the name of the host, attic..example, and the network; --reconnect waits for it"),
      Situation(
        "the broker does not come back", in: .builtIn,
        "blectl subscribe 'Heart Strap' 2a37 --count 1 -q --reconnect --log mqtt://127.0.0.1:1/ble", 1,
        "blectl: cannot write mqtt://127.0.0.1:1/ble: Connection refused; trying again",
        "blectl: cannot write mqtt://127.0.0.1:1/ble: Connection refused; kept in memory, up to 16M (--buffer)",
        "blectl: 2 records were not written to mqtt://127.0.0.1:1/ble"),
      Situation(
        "the file with the password of a broker is missing", in: .builtIn,
        "BLECTL_MQTT_PASSWORD_FILE=password.txt blectl subscribe Thermometer 2a6e --log mqtt://anna@127.0.0.1:1/ble",
        64, "blectl: cannot read password.txt: No such file or directory"),
      Situation(
        "a chart, and no terminal to draw on", in: .builtIn, "blectl subscribe 'Heart Strap' 2a37 --plot", 64,
        "blectl: cannot plot: stdout is not a terminal that supports drawing",
        "hint: --plot-svg FILE writes the chart to a file and prints lines as usual"),
      Situation(
        "the file of a chart is no file", in: .builtIn,
        "ln -s /dev/null heart.svg; blectl subscribe 'Heart Strap' 2a37 --count 1 -q --plot-svg heart.svg", 1,
        "blectl: cannot write heart.svg: it is not a regular file"),
      Situation(
        "the disk is full", in: .builtIn, "blectl adapter >/dev/full", 1,
        "blectl: cannot write the output: No space left on device"),
      Situation(
        "simulate cannot run its command", in: .noBus, "blectl simulate -- nosuchcommand", 1,
        "blectl: cannot run nosuchcommand: No such file or directory"),
      Situation(
        "the control socket already exists", in: .noBus, "blectl simulate --control here.txt", 1,
        "blectl: cannot create the socket here.txt: there is a file already: remove it first",
        files: ["here.txt": "x"]),
      Situation(
        "serve cannot run its command", in: .builtIn, "blectl serve Piano -q -- nosuchcommand", 1,
        "blectl: cannot run nosuchcommand: No such file or directory"),
    ])

  static let ended = SituationGroup(
    title: "Ended from outside",
    situations: [
      Situation(
        "Ctrl-C", in: .builtIn, "blectl subscribe 'Heart Strap' 2a37 -q", 130, ending: .signal(SIGINT)),
      Situation(
        "kill", in: .builtIn, "blectl scan --duration 0", 143, ending: .signal(SIGTERM)),
      Situation(
        "the terminal is closed, or ssh is lost", in: .builtIn, "blectl scan --duration 0", 129,
        ending: .signal(SIGHUP)),
      Situation(
        "the reader of a pipe exits", in: .builtIn,
        "blectl subscribe 'Heart Strap' 2a37 -q | head -1 >/dev/null", 141),
    ])
}
