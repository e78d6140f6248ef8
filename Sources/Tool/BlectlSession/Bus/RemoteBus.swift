// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BlectlArguments
internal import DBus
internal import Glibc
internal import TerminalOutput

/// The system bus of another host, reached through a program that ssh starts there.
final class RemoteBus: Sendable {
  let host: RemoteHost
  /// The address for libdbus, which starts ssh.
  let address: String
  /// The output of ssh on stderr, in an unlinked file; negative if there is none.
  private let errors: OwnedDescriptor

  init(_ host: RemoteHost) {
    self.host = host
    errors = RemoteBus.openFile()
    let file = errors.raw < 0 ? "/dev/null" : "/proc/\(getpid())/fd/\(errors.raw)"
    let port = host.port.map { ["-p", "\($0)"] } ?? []
    address =
      BusAddress(
        running: ["sh", "-c", RemoteBus.start, file, "ssh", "-xT"] + port
          + ["--", host.destination, "sh -c '\(RemoteBus.bridge)'"]
      ).text
  }

  private static func openFile() -> OwnedDescriptor {
    guard let file = tmpfile() else { return OwnedDescriptor(adopting: -1) }
    defer { fclose(file) }
    return OwnedDescriptor(adopting: fcntl(fileno(file), F_DUPFD_CLOEXEC, 0))
  }

  /// Starts ssh, which ignores Ctrl-C because it must still pass on the calls that end scans and links.
  ///
  /// It ends with this process, even while it asks for a password.
  static let start = """
    trap "" HUP INT QUIT
    if command -v setpriv >/dev/null; then set -- setpriv --pdeathsig TERM "$@"; fi
    : >"$0"; exec "$@" 2>>"$0"
    """

  /// The remote command: the first available program that connects stdin and stdout to the system bus.
  private static let bridge = """
    bus=${DBUS_SYSTEM_BUS_ADDRESS:-unix:path=/run/dbus/system_bus_socket}; \
    for bridge in systemd-stdio-bridge /usr/lib/systemd/systemd-stdio-bridge /lib/systemd/systemd-stdio-bridge; do \
    command -v $bridge >/dev/null && exec $bridge --bus-path="$bus"; done; \
    echo "\(standIn) $(id -u) here, too" >&2; \
    file=${bus#unix:path=}; file=${file%%,*}; \
    command -v socat >/dev/null && exec socat - "UNIX-CONNECT:$file"; \
    command -v nc >/dev/null && exec nc -U "$file"; \
    echo "\(missing)" >&2; exit 127
    """
  /// A substitute cannot authenticate as us: the bus compares its uid with the one that we claim.
  private static let standIn = "without systemd-stdio-bridge, our user needs the number"
  private static let missing = "it has no systemd-stdio-bridge, socat or nc"

  /// The last lines that the newest ssh has printed so far.
  var lines: [String] { RemoteBus.lines(of: errors.raw) }

  /// The last lines of a file: the reason follows any banner, however long.
  static func lines(of descriptor: Int32) -> [String] {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return [] }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let start = max(0, Int(status.st_size) - bytes.count)
    let count = pread(descriptor, &bytes, bytes.count, off_t(start))
    let text = String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    // The first line is incomplete.
    return lines.dropFirst(start > 0 ? 1 : 0).filter { !$0.isEmpty }.map { TerminalSafe.escaped(String($0)) }
  }

  /// Turns an error into the reason that ssh printed, if any.
  func explain(_ error: BLEError) -> CommandError {
    let lines = lines
    let (reason, hint, isPassing) =
      RemoteBus.diagnose(textBefore: error, host: host) ?? RemoteBus.diagnose(lines, host: host)
      ?? (error.code == .timedOut ? "it does not answer" : error.message, host.login, true)
    return CommandError(
      status: ExitStatus(error), message: "cannot reach the bus of \(host): \(reason)", hint: hint,
      causes: lines.map { "ssh: \($0)" }, isAbsenceOfBus: isPassing)
  }

  /// The same as ``diagnose(_:host:)`` if the login printed text where D-Bus was expected; nil if it did not.
  private static func diagnose(
    textBefore error: BLEError, host: RemoteHost
  ) -> (reason: String, hint: String, isPassing: Bool)? {
    guard error.dbusName == ErrorName.inconsistentMessage else { return nil }
    return (
      error.message.replacing("it prints", with: "its login prints", maxReplacements: 1),
      "\(host.login) true prints it too; let ~/.bashrc there print only on a terminal", false
    )
  }

  /// The reason, a hint, and whether waiting may help; nil if ssh printed nothing.
  static func diagnose(
    _ lines: [String], host: RemoteHost
  ) -> (reason: String, hint: String, isPassing: Bool)? {
    guard let last = lines.last else { return nil }
    func has(_ words: String...) -> Bool {
      lines.contains { line in words.contains { line.contains($0) } }
    }
    if has("failed to execute ssh", "ssh: not found") {
      return ("ssh is not installed", "sudo apt install openssh-client", false)
    }
    if has(missing) { return (missing, "on \(host.destination): sudo apt install socat", false) }
    if last.hasPrefix(standIn) { return (last, "on \(host.destination): sudo apt install systemd", false) }
    let login = host.login
    if has("Permission denied") {
      return ("it refuses the key or password (\(last))", "\(login); ssh-copy-id installs a key", false)
    }
    if has("Host key verification failed", "HOST IDENTIFICATION HAS CHANGED") {
      return ("its host key is not the known one (\(last))", "\(login), and compare the key", false)
    }
    return (last, login, true)
  }
}

extension BusHost {
  init(_ host: RemoteHost) { self.init(name: host.description, login: host.login) }
}
