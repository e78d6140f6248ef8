// SPDX-License-Identifier: MIT
import DBus
import Testing

@Suite("MatchRule")
struct MatchRuleTests {
  @Test(
    "A rule says what it asks for, and nothing else",
    arguments: [
      (
        MatchRule(sender: "org.bluez", interface: "org.example.Thing"),
        "type='signal',sender='org.bluez',interface='org.example.Thing'"
      ),
      (
        MatchRule(sender: "org.bluez", interface: "org.example.Thing", member: "Changed", path: "/a"),
        "type='signal',sender='org.bluez',interface='org.example.Thing',member='Changed',path='/a'"
      ),
      (
        MatchRule(sender: "org.bluez", interface: "org.example.Thing", pathNamespace: "/org/bluez"),
        "type='signal',sender='org.bluez',interface='org.example.Thing',path_namespace='/org/bluez'"
      ),
      (
        MatchRule(
          sender: "org.freedesktop.DBus", interface: "org.freedesktop.DBus", member: "NameOwnerChanged",
          firstArgument: "org.bluez"),
        """
        type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',\
        member='NameOwnerChanged',arg0='org.bluez'
        """
      ),
    ])
  func text(rule: MatchRule, text: String) { #expect(rule.text == text) }
}
