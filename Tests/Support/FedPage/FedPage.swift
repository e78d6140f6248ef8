// SPDX-License-Identifier: MIT
internal import Glibc
internal import JSON
internal import WebServer

/// A page without a command: a test sends its setup and its records as lines, and gets its port as one.
@main
enum FedPage {
  static func main() {
    var rest: [UInt8] = []
    var page: PageServer?
    while let part = readPart() {
      rest += part
      guard let end = rest.lastIndex(of: UInt8(ascii: "\n")) else { continue }
      var lines = rest[..<end].split(separator: UInt8(ascii: "\n")).map { Array($0) }
      rest.removeFirst(end + 1)
      if page == nil { page = open(lines.removeFirst()) }
      page?.take(lines)
    }
    page?.close(within: .milliseconds(500))
  }

  private static func readPart() -> [UInt8]? {
    var part = [UInt8](repeating: 0, count: 1 << 16)
    let count = read(STDIN_FILENO, &part, part.count)
    return count > 0 ? Array(part.prefix(count)) : nil
  }

  private static func open(_ line: [UInt8]) -> PageServer {
    guard let node = try? JSONReader.read(line) else { fail("the setup is no JSON") }
    func words(_ key: String) -> [String] { node[key]?.elements?.compactMap(\.string) ?? [] }
    var setup = PageSetup(host: "127.0.0.1", port: UInt16(node["port"]?.integer ?? 0))
    setup.command = node["command"]?.string ?? "listen"
    setup.token = node["token"]?.string
    setup.base = node["base"]?.string ?? ""
    (setup.names, setup.controls, setup.conditions) = (words("names"), words("controls"), words("conditions"))
    do throws(PageServer.Failure) {
      let page = try PageServer(setup, write: { _, end in end(.failed("there is no device")) })
      let answer = Array("\(page.port)\n".utf8)
      guard Glibc.write(STDOUT_FILENO, answer, answer.count) == answer.count else {
        fail("nobody reads the port")
      }
      return page
    } catch {
      fail(error.reason)
    }
  }

  private static func fail(_ reason: String) -> Never {
    let text = Array("fed-page: \(reason)\n".utf8)
    _ = Glibc.write(STDERR_FILENO, text, text.count)
    exit(1)
  }
}
