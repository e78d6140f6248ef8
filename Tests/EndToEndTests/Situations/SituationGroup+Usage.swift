// SPDX-License-Identifier: MIT

extension SituationGroup {
  static let usage = SituationGroup(
    title: "The command line is wrong",
    situations: [
      Situation(
        "a command that there is not", in: .noBus, "blectl scam", 64,
        "blectl: cannot run 'scam': there is no such command; did you mean scan?", "hint: blectl scan --help"),
      Situation(
        "what another tool does", in: .noBus, "blectl pair Lamp", 64,
        "blectl: cannot run 'pair': there is no such command; bluetoothctl pairs, and blectl uses the bond",
        "hint: bluetoothctl pair DEVICE"),
      Situation(
        "a command by another name", in: .noBus, "blectl ls", 64,
        "blectl: cannot run 'ls': there is no such command; 'devices' lists what BlueZ knows, 'scan' what is in the air",
        "hint: blectl devices"),
      Situation(
        "a world without the sign of equality", in: .noBus, "blectl scan --simulate world.json", 64,
        "blectl: cannot run 'scan': the world of --simulate stands behind '=': --simulate=world.json",
        "hint: blectl scan --help"),
      Situation(
        "an option that there is not", in: .noBus, "blectl devices --conected", 64,
        "blectl: cannot run 'devices': there is no option --conected; did you mean --connected?",
        "hint: blectl devices --help"),
      Situation(
        "an option without its value", in: .noBus, "blectl scan --name", 64,
        "blectl: cannot run 'scan': --name needs a <pattern>", "hint: blectl scan --help"),
      Situation(
        "an argument is missing", in: .noBus, "blectl read Piano", 64,
        "blectl: cannot run 'read': <characteristics> is missing", "hint: blectl read --help"),
      Situation(
        "a word too many", in: .noBus, "blectl scan Piano", 64,
        "blectl: cannot run 'scan': 'Piano' is one word too many", "hint: blectl scan --help"),
      Situation(
        "options that do not go together", in: .noBus, "blectl devices --simulate --bus unix:path=/run/bus",
        64,
        "blectl: cannot run 'devices': --simulate brings its own bus: leave --bus out",
        "hint: blectl devices --help"),
      Situation(
        "a UUID that is none", in: .noBus, "blectl read Piano 2a1", 64,
        "blectl: cannot run 'read': '2a1' is not a UUID, nor the name of a characteristic",
        "hint: blectl read --help"),
      Situation(
        "a misspelt characteristic", in: .noBus, "blectl read Piano battery-levle", 64,
        "blectl: cannot run 'read': 'battery-levle' is not a UUID, nor the name of a characteristic; did you mean battery-level?",
        "hint: blectl read --help"),
      Situation(
        "a handle that is none", in: .noBus, "blectl read Piano @xyz", 64,
        "blectl: cannot run 'read': '@xyz' is not a handle; write @ and up to four hexadecimal digits, such as @002a",
        "hint: blectl read --help"),
      Situation(
        "a text that is not marked as one", in: .noBus, "blectl write Piano ffe3 hi", 64,
        "blectl: cannot run 'write': 'hi' is not hexadecimal; for text write utf8:hi",
        "hint: blectl write --help"),
      Situation(
        "an odd hexadecimal digit", in: .noBus, "blectl write Piano ffe3 f03", 64,
        "blectl: cannot run 'write': 'f03' has an odd number of hexadecimal digits",
        "hint: blectl write --help"),
      Situation(
        "a value that does not fit", in: .noBus, "blectl write Piano ffe3 u8:300", 64,
        "blectl: cannot run 'write': '300' does not fit u8, which holds 0 to 255", "hint: blectl write --help"
      ),
      Situation(
        "a format that there is not", in: .noBus, "blectl read Piano 2a19 --as utf9", 64,
        "blectl: cannot run 'read': --as: 'utf9' is not a format; did you mean utf8?",
        "hint: blectl read --help"),
      Situation(
        "a meaning that is not known", in: .noBus, "blectl write Piano ffe3 auto:high", 64,
        "blectl: cannot make a value: 'auto:high' needs a characteristic whose values are known, which ffe3 is not",
        "hint: man blectl-values"),
      Situation(
        "a value that is too long for any", in: .noBus, "blectl write Piano ffe3 @long.bin", 64,
        "blectl: cannot read long.bin: it is longer than the limit of 512 bytes",
        files: ["long.bin": String(repeating: "x", count: 513)]),
      Situation(
        "a duration that is none", in: .noBus, "blectl scan --duration soon", 64,
        "blectl: cannot run 'scan': --duration: 'soon' is not a duration; write 500ms, 10s, 2m, 1h, or 0 for no limit",
        "hint: blectl scan --help"),
      Situation(
        "an address that is none", in: .noBus, "blectl scan --address 12:34", 64,
        "blectl: cannot run 'scan': --address: '12:34' is not a Bluetooth address", "hint: blectl scan --help"
      ),
      Situation(
        "a file of values that is not there", in: .noBus, "blectl write Piano ffe3 --from values.txt", 64,
        "blectl: cannot read values.txt: No such file or directory"),
      Situation(
        "a line that is no value", in: .noBus, "blectl write Piano ffe3 --from values.txt", 64,
        "blectl: cannot read line 2 of values.txt: 'f0 3' has an odd number of hexadecimal digits",
        files: ["values.txt": "f03d\nf0 3\n"]),
      Situation(
        "a file without values", in: .noBus, "blectl write Piano ffe3 --from values.txt", 64,
        "blectl: cannot read values from values.txt: there are none", files: ["values.txt": "# nothing\n"]),
      Situation(
        "a log of no known kind", in: .noBus, "blectl subscribe Piano ffe2 --log heart.txt", 64,
        "blectl: cannot run 'subscribe': --log: 'heart.txt' does not end in .ndjson, .jsonl, .csv, .sqlite or .db",
        "hint: blectl subscribe --help"),
      Situation(
        "a world file that is not there", in: .noBus, "blectl scan --simulate=world.json", 64,
        "blectl: cannot simulate: world.json: No such file or directory"),
      Situation(
        "a world file that is not JSON", in: .noBus, "blectl scan --simulate=world.json", 64,
        "blectl: cannot simulate: world.json:1:1: expected a value, found \"d\"",
        files: ["world.json": "devices\n"]),
      Situation(
        "a world file with a misspelt key", in: .noBus, "blectl scan --simulate=world.json", 64,
        "blectl: cannot simulate: world.json:1:20: /peripherals/0/adress: expected a key of a peripheral, found \"adress\": did you mean \"address\"?",
        files: ["world.json": "{\"peripherals\": [{ \"adress\": 1}]}\n"]),
      Situation(
        "a topic that there is not", in: .noBus, "blectl help jsno", 64,
        "blectl: cannot help on 'jsno': it is neither a command nor a topic; did you mean json?",
        "hint: blectl help"),
    ])
}
