// SPDX-License-Identifier: MIT
internal import Glibc

extension SituationGroup {
  static let files = SituationGroup(
    title: "Files, outputs and other programs",
    situations: [
      Situation(
        "the folder of a log is not there", in: .builtIn,
        "blectl subscribe Thermometer 2a6e --log logs/heart.csv", 1,
        "blectl: cannot write logs/heart.csv: No such file or directory"),
      Situation(
        "a log that is no file", in: .builtIn,
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
        "hint: check that a broker listens on port 1 of 127.0.0.1; subscribe --reconnect waits for it"),
      Situation(
        "the broker does not come back", in: .builtIn,
        "blectl subscribe 'Heart Strap' 2a37 --count 1 -q --reconnect --log mqtt://127.0.0.1:1/ble", 1,
        "blectl: cannot write mqtt://127.0.0.1:1/ble: Connection refused; trying again",
        "blectl: cannot write mqtt://127.0.0.1:1/ble: Connection refused; kept in memory, up to 16M (--buffer)",
        "blectl: 2 records were not written to mqtt://127.0.0.1:1/ble"),
      Situation(
        "the file with the password of a broker is missing", in: .builtIn,
        "BLECTL_MQTT_PASSWORD_FILE=secret blectl subscribe Thermometer 2a6e --log mqtt://anna@127.0.0.1:1/ble",
        64, "blectl: cannot read secret: No such file or directory"),
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
        "the control socket is there already", in: .noBus, "blectl simulate --control here.txt", 1,
        "blectl: cannot create the socket here.txt: there is a file already: remove it first",
        files: ["here.txt": "x"]),
      Situation(
        "serve cannot run its command", in: .builtIn, "blectl serve Piano -- nosuchcommand", 1,
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
        "the reader of a pipe has gone", in: .builtIn,
        "blectl subscribe 'Heart Strap' 2a37 -q | head -1 >/dev/null", 141),
    ])
}
