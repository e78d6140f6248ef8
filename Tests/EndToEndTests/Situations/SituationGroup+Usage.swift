// SPDX-License-Identifier: MIT

extension SituationGroup {
  static let usage = SituationGroup(
    title: "Invalid command line",
    situations: [
      Situation(
        "an unknown command", in: .noBus, "blectl scam", 64,
        "blectl: cannot run 'scam': no such command; did you mean scan?", "hint: blectl scan --help"),
      Situation(
        "a command of another tool", in: .noBus, "blectl remove Lamp", 64,
        "blectl: cannot run 'remove': no such command; 'unpair' lets BlueZ forget a device",
        "hint: blectl unpair --help"),
      Situation(
        "a command by another name", in: .noBus, "blectl ls", 64,
        "blectl: cannot run 'ls': no such command; 'devices' lists known devices, 'scan' shows those nearby",
        "hint: blectl devices"),
      Situation(
        "a script with a mistake", in: .noBus, "blectl run Lamp test.ble", 64,
        "blectl: cannot run test.ble:2:1: no such command 'raed'; did you mean read?",
        files: ["test.ble": "read 2a19\nraed 2a19\n"]),
      Situation(
        "a script with several mistakes", in: .noBus, "blectl run Lamp test.ble", 64,
        "blectl: cannot run test.ble: it has 2 mistakes",
        "  test.ble:1:12: no variable 'X'; use set X VALUE, or --set X=VALUE",
        "  test.ble:2:1: 'repeat' without 'end'",
        files: ["test.ble": "write ffe3 $X\nrepeat 2\nread 2a19\n"]),
      Situation(
        "a variable that a script lacks", in: .noBus, "blectl run Lamp test.ble --set LEVEL=1", 64,
        "blectl: cannot set LEVEL: test.ble has no such variable", files: ["test.ble": "read 2a19\n"]),
      Situation(
        "a misspelt variable", in: .noBus, "blectl run Lamp test.ble --set LIMT=5", 64,
        "blectl: cannot set LIMT: test.ble has no such variable; did you mean LIMIT?",
        files: ["test.ble": "set LIMIT 3\nexpect 2a19 u8 > $LIMIT --read\n"]),
      Situation(
        "a record that exists", in: .builtIn, "blectl run 'Heart Strap' test.ble --record old.ndjson", 64,
        "blectl: cannot record to old.ndjson: it exists", "hint: give --record another name",
        files: ["test.ble": "read 2a19\n", "old.ndjson": ""]),
      Situation(
        "a world without an equals sign", in: .noBus, "blectl scan --simulate world.json", 64,
        "blectl: cannot run 'scan': --simulate takes its world after '=': --simulate=world.json",
        "hint: blectl scan --help"),
      Situation(
        "an option that another command has in another way", in: .noBus, "blectl read 'La*' 2a19 --all", 64,
        "blectl: cannot run 'read': unknown option '--all'; subscribe --all --read-first has the values of each device",
        "hint: blectl read --help"),
      Situation(
        "an unknown option", in: .noBus, "blectl devices --conected", 64,
        "blectl: cannot run 'devices': unknown option '--conected'; did you mean --connected?",
        "hint: blectl devices --help"),
      Situation(
        "an option before the command", in: .noBus, "blectl -i hci1 scan", 64,
        "blectl: cannot run blectl: the command comes first, then its options",
        "hint: blectl scan -i hci1"),
      Situation(
        "the end of options before the command", in: .noBus, "blectl -- read 'Heart Strap' 2a19", 64,
        "blectl: cannot run blectl: the command comes first, then its options",
        "hint: blectl read 'Heart Strap' 2a19"),
      Situation(
        "an interval that is too long", in: .noBus, "blectl link Heart --interval 5s", 64,
        "blectl: cannot run 'link': the interval must be between 7.5ms and 4s", "hint: blectl link --help"),
      Situation(
        "a negative duration", in: .noBus, "blectl scan --duration -1s", 64,
        "blectl: cannot run 'scan': --duration: '-1s' is negative, which no duration is",
        "hint: blectl scan --help"),
      Situation(
        "an empty command", in: .noBus, "blectl listen --exec ''", 64,
        "blectl: cannot run 'listen': the command of --exec is empty", "hint: blectl listen --help"),
      Situation(
        "an empty name", in: .noBus, "blectl advertise --name ''", 64,
        "blectl: cannot run 'advertise': --name is empty", "hint: blectl advertise --help"),
      Situation(
        "a condition without quotes", in: .noBus, "blectl listen --when temperature_celsius > -15", 64,
        "blectl: cannot run 'listen': --when: 'temperature_celsius' needs a comparison behind it, such as '> 25' or '20..25', all in one pair of quotes",
        "hint: blectl listen --help"),
      Situation(
        "a unit in a condition", in: .noBus, "blectl listen --when 'temperature_celsius > -15°C'", 64,
        "blectl: cannot run 'listen': --when: '-15°C' is not a number; write it without a unit, which the field has: -15",
        "hint: blectl listen --help"),
      Situation(
        "a command to simulate without --", in: .noBus, "blectl simulate blectl scan", 64,
        "blectl: cannot run 'simulate': the command to run stands behind '--'",
        "hint: blectl simulate -- blectl scan"
      ),
      Situation(
        "no way to rename", in: .noBus, "blectl rename Lamp Desk", 64,
        "blectl: cannot run 'rename': no such command; a profile gives devices names of your own, and 'uuid' looks up those of numbers",
        "hint: blectl help profiles"),
      Situation(
        "a number that is no UUID", in: .noBus, "blectl advertise --service 12", 64,
        "blectl: cannot run 'advertise': --service: '12' is not a UUID or the name of a service; a UUID has 4, 8 or 32 hexadecimal digits",
        "hint: blectl advertise --help"),
      Situation(
        "a UUID in braces", in: .noBus, "blectl scan --service {0000180d-0000-1000-8000-00805f9b34fb}", 64,
        "blectl: cannot run 'scan': --service: '{0000180d-0000-1000-8000-00805f9b34fb}' is not a UUID or the name of a service; write it bare: 180d",
        "hint: blectl scan --help"),
      Situation(
        "an option without its value", in: .noBus, "blectl scan --name", 64,
        "blectl: cannot run 'scan': missing value for '--name <pattern>'", "hint: blectl scan --help"),
      Situation(
        "a missing argument", in: .noBus, "blectl read Piano", 64,
        "blectl: cannot run 'read': missing expected argument '<characteristics> ...'",
        "hint: blectl read --help"),
      Situation(
        "a pair without its characteristic", in: .noBus, "blectl subscribe Strap Trainer:2ad2", 64,
        "blectl: cannot run 'subscribe': 'Strap' is not DEVICE:CHAR, such as Strap:2a37",
        "hint: blectl subscribe --help"),
      Situation(
        "a characteristic among pairs", in: .noBus, "blectl subscribe Strap:2a37 Trainer:2ad2 2a19", 64,
        "blectl: cannot run 'subscribe': '2a19' has no device before it: use DEVICE:CHAR for each, or DEVICE CHAR…",
        "hint: blectl subscribe Strap:2a37 Trainer:2ad2 DEVICE:2a19"),
      Situation(
        "a common start of one device", in: .noBus, "blectl subscribe Strap:2a37 --start-together", 64,
        "blectl: cannot run 'subscribe': --start-together needs several devices: DEVICE:CHAR DEVICE:CHAR",
        "hint: blectl subscribe --help"),
      Situation(
        "an extra argument", in: .noBus, "blectl scan Piano", 64,
        "blectl: cannot run 'scan': unexpected argument 'Piano'; did you mean --name Piano?",
        "hint: blectl scan --help"),
      Situation(
        "options that cannot be used together", in: .noBus,
        "blectl devices --simulate --bus unix:path=/run/bus", 64,
        "blectl: cannot run 'devices': --simulate and --bus cannot be used together",
        "hint: blectl devices --help"),
      Situation(
        "an invalid UUID", in: .noBus, "blectl read Piano 2a1", 64,
        "blectl: cannot run 'read': '2a1' is not a UUID or the name of a characteristic; a UUID has 4, 8 or 32 hexadecimal digits",
        "hint: blectl read --help"),
      Situation(
        "a misspelt characteristic", in: .noBus, "blectl read Piano battery-levle", 64,
        "blectl: cannot run 'read': 'battery-levle' is not a UUID or the name of a characteristic; did you mean battery-level?",
        "hint: blectl read --help"),
      Situation(
        "an invalid handle", in: .noBus, "blectl read Piano @xyz", 64,
        "blectl: cannot run 'read': '@xyz' is not a handle; use @ and up to four hexadecimal digits, such as @002a",
        "hint: blectl read --help"),
      Situation(
        "text without a format", in: .noBus, "blectl write Piano ffe3 hi", 64,
        "blectl: cannot run 'write': 'hi' is not hexadecimal; for text use utf8:hi",
        "hint: blectl write --help"),
      Situation(
        "an odd number of hexadecimal digits", in: .noBus, "blectl write Piano ffe3 f03", 64,
        "blectl: cannot run 'write': 'f03' has an odd number of hexadecimal digits",
        "hint: blectl write --help"),
      Situation(
        "a value out of range", in: .noBus, "blectl write Piano ffe3 u8:300", 64,
        "blectl: cannot run 'write': '300' does not fit u8, which holds 0 to 255", "hint: blectl write --help"
      ),
      Situation(
        "an offset that no value has", in: .noBus, "blectl read Piano 2a19 --offset 513", 64,
        "blectl: cannot run 'read': --offset: '513' is no place in a value, which has at most 512 bytes",
        "hint: blectl read --help"),
      Situation(
        "an unknown format", in: .noBus, "blectl read Piano 2a19 --as utf9", 64,
        "blectl: cannot run 'read': --as: 'utf9' is not a format; did you mean utf8?",
        "hint: blectl read --help"),
      Situation(
        "a text for a characteristic of unknown meaning", in: .noBus, "blectl write Piano ffe3 auto:high", 64,
        "blectl: cannot encode the value: 'high' needs a characteristic whose fields are known, and those of ffe3 are not",
        "hint: blectl help formats"),
      Situation(
        "a value that is too long", in: .noBus, "blectl write Piano ffe3 @long.bin", 64,
        "blectl: cannot read long.bin: it is longer than the limit of 512 bytes",
        "hint: blectl send DEVICE CHAR FILE, which divides it",
        files: ["long.bin": String(repeating: "x", count: 513)]),
      Situation(
        "send: an offset that does not fit its format", in: .noBus,
        "blectl send Piano ffe3 long.bin --offset-format u8", 64,
        "blectl: cannot send long.bin: '512' does not fit u8, which holds 0 to 255",
        "hint: --offset-format u32",
        files: ["long.bin": String(repeating: "x", count: 513)]),
      Situation(
        "send: a checksum without its kind", in: .noBus, "blectl send Piano ffe3 a.bin --checksum-to ffe3",
        64,
        "blectl: cannot run 'send': --checksum-to needs --crc32 or --sha256", "hint: blectl send --help"),
      Situation(
        "send: an option that an L2CAP channel does not have", in: .noBus,
        "blectl send Board a.bin --psm 0x80 --resume", 64,
        "blectl: cannot run 'send': --psm cannot be used with --resume: nothing says how much has arrived before the whole file has",
        "hint: blectl send --help"),
      Situation(
        "nothing to advertise", in: .noBus, "blectl advertise --json", 64,
        "blectl: cannot run 'advertise': nothing to advertise; use --name, --service, --bthome or another option, or a world file",
        "hint: blectl advertise --help"),
      Situation(
        "an advertisement that is too long", in: .noBus,
        "blectl advertise --service 180d --manufacturer ffff:000102030405060708090a0b0c0d0e0f101112131415161718",
        64,
        "blectl: cannot run 'advertise': the advertisement has 33 bytes, and 31 fit: services of 16 bits 4, manufacturer data ffff 29",
        "hint: blectl advertise --help"),
      Situation(
        "a name that is too long", in: .noBus, "blectl advertise --name 'Thermometer in the green house'", 64,
        "blectl: cannot run 'advertise': the name has 30 bytes, and 29 fit", "hint: blectl advertise --help"),
      Situation(
        "data of one company twice", in: .noBus,
        "blectl advertise --manufacturer ffff:01 --manufacturer ffff:02", 64,
        "blectl: cannot run 'advertise': 'ffff' has manufacturer data twice; an advertisement can hold only one",
        "hint: blectl advertise --help"),
      Situation(
        "an iBeacon with a number out of range", in: .noBus,
        "blectl advertise --ibeacon e2c56db5-dffb-48d2-b060-d0f5a71096e0,70000,1", 64,
        "blectl: cannot run 'advertise': --ibeacon: '70000' is not a major number; use 0 to 65535",
        "hint: blectl advertise --help"),
      Situation(
        "a web address without a scheme", in: .noBus, "blectl advertise --eddystone-url example.com", 64,
        "blectl: cannot run 'advertise': --eddystone-url: 'example.com' does not begin with http:// or https://",
        "hint: blectl advertise --help"),
      Situation(
        "a web address that is too long", in: .noBus,
        "blectl advertise --eddystone-url https://example.com/a-long-page", 64,
        "blectl: cannot run 'advertise': --eddystone-url: 'https://example.com/a-long-page' is too long: compressed it has 19 bytes, and 17 fit",
        "hint: blectl advertise --help"),
      Situation(
        "a misspelt measurement", in: .noBus, "blectl advertise --bthome temprature=21", 64,
        "blectl: cannot run 'advertise': --bthome: 'temprature' is not a measurement, state or event of BTHome; did you mean temperature?",
        "hint: blectl advertise --help"),
      Situation(
        "a measurement out of range", in: .noBus, "blectl advertise --bthome battery=300", 64,
        "blectl: cannot run 'advertise': --bthome: '300' is out of range: 0 to 100 (battery_percent)",
        "hint: blectl advertise --help"),
      Situation(
        "an invalid duration", in: .noBus, "blectl scan --duration soon", 64,
        "blectl: cannot run 'scan': --duration: 'soon' is not a duration; use 500ms, 10s, 2m, 1h, 1d, or 0 for no limit",
        "hint: blectl scan --help"),
      Situation(
        "an invalid address", in: .noBus, "blectl scan --address 12:34", 64,
        "blectl: cannot run 'scan': --address: '12:34' is not a Bluetooth address", "hint: blectl scan --help"
      ),
      Situation(
        "a missing file of values", in: .noBus, "blectl write Piano ffe3 --from values.txt", 64,
        "blectl: cannot read values.txt: No such file or directory"),
      Situation(
        "an invalid line in a file of values", in: .noBus, "blectl write Piano ffe3 --from values.txt", 64,
        "blectl: cannot read line 2 of values.txt: 'f0 3' has an odd number of hexadecimal digits",
        files: ["values.txt": "f03d\nf0 3\n"]),
      Situation(
        "a file without values", in: .noBus, "blectl write Piano ffe3 --from values.txt", 64,
        "blectl: cannot read values from values.txt: it contains none", files: ["values.txt": "# nothing\n"]),
      Situation(
        "a log of an unknown kind", in: .noBus, "blectl subscribe Piano ffe2 --log heart.txt", 64,
        "blectl: cannot run 'subscribe': --log: 'heart.txt' does not end in .ndjson, .jsonl, .csv, .sqlite or .db, and is no influx:FILE or mqtt://HOST/TOPIC",
        "hint: blectl subscribe --help"),
      Situation(
        "a password in the URL of a broker", in: .noBus,
        "blectl subscribe Piano ffe2 --log mqtt://anna:secret@attic/ble", 64,
        "blectl: cannot run 'subscribe': --log: 'mqtt://…@attic/ble' has a password, which other users can see; put it into BLECTL_MQTT_PASSWORD or a file that BLECTL_MQTT_PASSWORD_FILE names",
        "hint: blectl subscribe --help"),
      Situation(
        "a broker without a topic", in: .noBus, "blectl subscribe Piano ffe2 --log mqtt://attic", 64,
        "blectl: cannot run 'subscribe': --log: 'mqtt://attic' names no topic; write mqtt://HOST/TOPIC",
        "hint: blectl subscribe --help"),
      Situation(
        "a log without room for all records", in: .noBus, "blectl scan --log devices.csv", 64,
        "blectl: cannot run 'scan': --log: 'devices.csv' can store only values; use .ndjson or mqtt://HOST/TOPIC",
        "hint: blectl scan --help"),
      Situation(
        "an option of Bluetooth, where there is none", in: .noBus, "blectl uuid heart-rate -i hci1", 64,
        "blectl: cannot run 'uuid': --adapter has no meaning here: 'uuid' does not use Bluetooth",
        "hint: blectl uuid --help"),
      Situation(
        "Home Assistant without a broker", in: .noBus,
        "blectl subscribe Piano ffe2 --home-assistant --log heart.csv", 64,
        "blectl: cannot run 'subscribe': --home-assistant needs --log mqtt://HOST/TOPIC",
        "hint: blectl subscribe --help"),
      Situation(
        "commands without a broker", in: .noBus,
        "blectl subscribe Piano ffe2 --mqtt-control ffe3 --log heart.csv", 64,
        "blectl: cannot run 'subscribe': --mqtt-control needs --log mqtt://HOST/TOPIC",
        "hint: blectl subscribe --help"),
      Situation(
        "two outputs in one place", in: .noBus, "blectl subscribe Piano ffe2 --log influx:- --json", 64,
        "blectl: cannot run 'subscribe': --log influx:- and --json cannot be used together",
        "hint: blectl subscribe --help"),
      Situation(
        "serial: an option of the terminal in a pipe", in: .noBus, "blectl serial Piano --line </dev/null",
        64,
        "blectl: cannot use --line: standard input or output is not a terminal"),
      Situation(
        "serve: a missing world file", in: .noBus, "blectl serve lamp.json", 64,
        "blectl: cannot serve: lamp.json: No such file or directory"),
      Situation(
        "a missing world file", in: .noBus, "blectl scan --simulate=world.json", 64,
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
        "an unknown help topic", in: .noBus, "blectl help jsno", 64,
        "blectl: cannot show help on 'jsno': no such command or topic; did you mean json?",
        "hint: blectl help"),
    ])
}
