// SPDX-License-Identifier: MIT
/// The baseline of `blectl subscribe ADDRESS UUID --count N`: StartNotify, then N values out of PropertiesChanged,
/// counted or printed. Every message that has been read is handled before the next wait.
#include "baseline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Takes the `Value` out of a PropertiesChanged of the characteristic; 0 when the message has none.
static int get_value(DBusMessage *message, const char *path, const uint8_t **bytes, int *count) {
  if (!dbus_message_is_signal(message, DBUS_INTERFACE_PROPERTIES, "PropertiesChanged")) return 0;
  if (!dbus_message_has_path(message, path)) return 0;
  DBusMessageIter body, properties, value, variant, array;
  const char *interface, *key;
  dbus_message_iter_init(message, &body);
  dbus_message_iter_get_basic(&body, &interface);
  if (strcmp(interface, BLUEZ_CHARACTERISTIC) != 0) return 0;
  dbus_message_iter_next(&body);
  dbus_message_iter_recurse(&body, &properties);
  while ((key = next_entry(&properties, &value)) != NULL) {
    if (strcmp(key, "Value") != 0) continue;
    dbus_message_iter_recurse(&value, &variant);
    dbus_message_iter_recurse(&variant, &array);
    dbus_message_iter_get_fixed_array(&array, bytes, count);
    return 1;
  }
  return 0;
}

int main(int argc, char **argv) {
  struct notify_arguments arguments = notify_parse(argc, argv);
  DBusConnection *bus = bus_open();
  char *path = find_characteristic(bus, arguments.address, arguments.uuid);
  dbus_message_unref(bus_await(bus, bluez_call(path, BLUEZ_CHARACTERISTIC, "StartNotify")));

  static char buffer[1 << 16];
  setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
  struct tally tally = {0};
  do {
    DBusMessage *message;
    while (tally.values < arguments.count && (message = dbus_connection_pop_message(bus)) != NULL) {
      const uint8_t *bytes;
      int count;
      if (get_value(message, path, &bytes, &count)) {
        tally_value(&tally, bytes, (size_t)count);
        if (arguments.print) print_value(bytes, (size_t)count);
        if (arguments.latency) latency_add(bytes, (size_t)count);
      }
      dbus_message_unref(message);
    }
    fflush(stdout);  // nothing more has been read: what came is shown before waiting
  } while (tally.values < arguments.count && dbus_connection_read_write(bus, -1));
  if (!arguments.print) tally_print(&tally);
  if (arguments.latency) latency_print();

  dbus_message_unref(bus_await(bus, bluez_call(path, BLUEZ_CHARACTERISTIC, "StopNotify")));
  free(path);
  dbus_connection_close(bus);
  return 0;
}
