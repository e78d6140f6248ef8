// SPDX-License-Identifier: MIT
/// The baseline of `blectl devices`: GetManagedObjects walked once, a line a device in the order of the addresses.
#include "baseline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct device {
  const char *address, *type, *name;
  dbus_bool_t connected, paired;
  int16_t rssi;
  int has_rssi;
};

static int by_address(const void *left, const void *right) {
  return strcmp(((const struct device *)left)->address, ((const struct device *)right)->address);
}

static struct device get_device(DBusMessageIter *interface) {
  struct device device = {0};
  DBusMessageIter properties, value;
  const char *key;
  dbus_message_iter_recurse(interface, &properties);
  while ((key = next_entry(&properties, &value)) != NULL) {
    if (strcmp(key, "Address") == 0) get_variant(&value, &device.address);
    if (strcmp(key, "AddressType") == 0) get_variant(&value, &device.type);
    if (strcmp(key, "Name") == 0) get_variant(&value, &device.name);
    if (strcmp(key, "Connected") == 0) get_variant(&value, &device.connected);
    if (strcmp(key, "Paired") == 0) get_variant(&value, &device.paired);
    if (strcmp(key, "RSSI") == 0) {
      get_variant(&value, &device.rssi);
      device.has_rssi = 1;
    }
  }
  return device;
}

static void print_device(const struct device *device) {
  const char *state = device->connected ? device->paired ? "connected,paired" : "connected" : device->paired ? "paired" : "";
  printf("%s\t%s\t%s\t", device->address, device->type, state);
  if (device->has_rssi) printf("%d", device->rssi);
  printf("\t%s\n", device->name != NULL ? device->name : "");
}

int main(void) {
  DBusConnection *bus = bus_open();
  DBusMessage *reply = bus_await(bus, bluez_call("/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects"));
  DBusMessageIter body, objects, object, interfaces, interface;
  struct device *devices = NULL;
  size_t count = 0, room = 0;
  const char *name;
  dbus_message_iter_init(reply, &body);
  dbus_message_iter_recurse(&body, &objects);
  while (next_entry(&objects, &object) != NULL) {
    dbus_message_iter_recurse(&object, &interfaces);
    while ((name = next_entry(&interfaces, &interface)) != NULL) {
      if (strcmp(name, BLUEZ_DEVICE) != 0) continue;
      if (count == room) {
        room = 2 * room + 64;
        devices = realloc(devices, room * sizeof *devices);
        if (devices == NULL) fail("no memory");
      }
      devices[count++] = get_device(&interface);
    }
  }
  if (count > 0) qsort(devices, count, sizeof *devices, by_address);
  for (size_t i = 0; i < count; i++) print_device(&devices[i]);
  free(devices);
  dbus_message_unref(reply);
  dbus_connection_close(bus);
  return 0;
}
