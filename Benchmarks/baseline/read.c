// SPDX-License-Identifier: MIT
/// The baseline of `blectl read ADDRESS UUID`: finds the characteristic, reads it once, prints its value in hex.
#include "baseline.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  if (argc != 3) fail("usage: %s ADDRESS UUID", argv[0]);
  DBusConnection *bus = bus_open();
  char *path = find_characteristic(bus, argv[1], argv[2]);
  DBusMessage *call = bluez_call(path, BLUEZ_CHARACTERISTIC, "ReadValue");
  append_no_options(call);
  DBusMessage *reply = bus_await(bus, call);

  DBusMessageIter body, array;
  const uint8_t *bytes;
  int count;
  dbus_message_iter_init(reply, &body);
  dbus_message_iter_recurse(&body, &array);
  dbus_message_iter_get_fixed_array(&array, &bytes, &count);
  char text[2 * 512 + 1];
  if (count > 512) fail("a value of %d bytes", count);
  *put_hex(text, bytes, (size_t)count) = 0;
  puts(text);
  dbus_message_unref(reply);
  free(path);
  dbus_connection_close(bus);
  return 0;
}
