// SPDX-License-Identifier: MIT
/// The baseline of `blectl write ADDRESS UUID --from FILE --no-response`: the values of 20 bytes that stand in FILE, one a
/// line in hexadecimal digits, each with WriteValue, or as packets of AcquireWrite's socket.
#include "baseline.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { SIZE = 20 };

static int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

/// Reads the value of a line.
static void parse(const char *line, uint8_t *bytes) {
  for (int i = 0; i < SIZE; i++) {
    int high = digit(line[2 * i]), low = high < 0 ? -1 : digit(line[2 * i + 1]);
    if (low < 0) fail("not a value: %s", line);
    bytes[i] = (uint8_t)(high << 4 | low);
  }
  if (line[2 * SIZE] != '\n') fail("not %d bytes: %s", SIZE, line);
}

static void write_call(DBusConnection *bus, const char *path, const uint8_t *bytes) {
  const char *type = "command";
  DBusMessage *call = bluez_call(path, BLUEZ_CHARACTERISTIC, "WriteValue");
  DBusMessageIter body, array, options;
  dbus_message_iter_init_append(call, &body);
  dbus_message_iter_open_container(&body, DBUS_TYPE_ARRAY, "y", &array);
  dbus_message_iter_append_fixed_array(&array, DBUS_TYPE_BYTE, &bytes, SIZE);
  dbus_message_iter_close_container(&body, &array);
  dbus_message_iter_open_container(&body, DBUS_TYPE_ARRAY, "{sv}", &options);
  append_option(&options, "type", DBUS_TYPE_STRING, &type);
  dbus_message_iter_close_container(&body, &options);
  dbus_message_unref(bus_await(bus, call));
}

int main(int argc, char **argv) {
  if (argc < 4) fail("usage: %s ADDRESS UUID FILE [--socket]", argv[0]);
  DBusConnection *bus = bus_open();
  char *path = find_characteristic(bus, argv[1], argv[2]);
  FILE *values = fopen(argv[3], "r");
  if (values == NULL) fail("cannot open %s: %s", argv[3], strerror(errno));
  int fd = argc > 4 && strcmp(argv[4], "--socket") == 0 ? bluez_acquire(bus, path, "AcquireWrite") : -1;
  char line[2 * SIZE + 8];
  while (fgets(line, sizeof line, values) != NULL) {
    uint8_t bytes[SIZE];
    parse(line, bytes);
    if (fd < 0) {
      write_call(bus, path, bytes);
    } else if (send(fd, bytes, SIZE, MSG_NOSIGNAL) != SIZE) {
      fail("the socket ended: %s", strerror(errno));
    }
  }
  fclose(values);
  if (fd >= 0) close_drained(fd);
  free(path);
  dbus_connection_close(bus);
  return 0;
}
