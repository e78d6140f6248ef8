// SPDX-License-Identifier: MIT
/// The floor of `blectl scan --count N`: starts a discovery with the same filter, writes a line for each device when
/// it is first seen, and stops after N. It is run where BlueZ knows no device yet, so that each of them is announced
/// by InterfacesAdded once.
#define _GNU_SOURCE
#include "floor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ITEMS = 32, MAX_BYTES = 255 };

static const char base_uuid[] = "-0000-1000-8000-00805f9b34fb";

/// What a line shows of a device; the pointers are into the message.
struct device {
  const char *address, *name;
  int16_t rssi;
  int has_rssi, has_uuids, has_companies, has_services;
  DBusMessageIter uuids, companies, services;
};

static void set_filter(DBusConnection *bus, const char *adapter) {
  DBusMessage *call = bluez_call(adapter, BLUEZ_ADAPTER, "SetDiscoveryFilter");
  DBusMessageIter arguments, options;
  const char *transport = "le", *pattern = "";
  int16_t rssi = -127;
  dbus_bool_t duplicates = FALSE;
  dbus_message_iter_init_append(call, &arguments);
  dbus_message_iter_open_container(&arguments, DBUS_TYPE_ARRAY, "{sv}", &options);
  append_option(&options, "Transport", DBUS_TYPE_STRING, &transport);
  append_option(&options, "RSSI", DBUS_TYPE_INT16, &rssi);
  append_option(&options, "DuplicateData", DBUS_TYPE_BOOLEAN, &duplicates);
  append_option(&options, "Pattern", DBUS_TYPE_STRING, &pattern);
  dbus_message_iter_close_container(&arguments, &options);
  dbus_message_unref(bus_await(bus, call));
}

// MARK: Reading

/// Reads the Device1 of an InterfacesAdded, `oa{sa{sv}}`; 0 when the object is something else.
static int get_device(DBusMessage *message, struct device *device) {
  DBusMessageIter body, interfaces, interface, properties, value;
  const char *name, *key;
  dbus_message_iter_init(message, &body);
  dbus_message_iter_next(&body);
  dbus_message_iter_recurse(&body, &interfaces);
  do {
    name = next_entry(&interfaces, &interface);
    if (name == NULL) return 0;
  } while (strcmp(name, BLUEZ_DEVICE) != 0);
  *device = (struct device){0};
  dbus_message_iter_recurse(&interface, &properties);
  while ((key = next_entry(&properties, &value)) != NULL) {
    if (strcmp(key, "Address") == 0) {
      get_variant(&value, &device->address);
    } else if (strcmp(key, "Name") == 0) {
      get_variant(&value, &device->name);
    } else if (strcmp(key, "RSSI") == 0) {
      get_variant(&value, &device->rssi);
      device->has_rssi = 1;
    } else if (strcmp(key, "UUIDs") == 0) {
      dbus_message_iter_recurse(&value, &device->uuids);
      device->has_uuids = 1;
    } else if (strcmp(key, "ManufacturerData") == 0) {
      dbus_message_iter_recurse(&value, &device->companies);
      device->has_companies = 1;
    } else if (strcmp(key, "ServiceData") == 0) {
      dbus_message_iter_recurse(&value, &device->services);
      device->has_services = 1;
    }
  }
  return device->address != NULL;
}

// MARK: Writing

/// A UUID the way it is shown: the four digits of an assigned one, else all of it. Returns the end.
static char *put_uuid(char *text, const char *uuid) {
  if (strncmp(uuid, "0000", 4) != 0 || strcmp(uuid + 8, base_uuid) != 0) return stpcpy(text, uuid);
  memcpy(text, uuid + 4, 4);
  return text + 4;
}

static int by_text(const void *left, const void *right) { return strcmp(left, right); }

/// Writes the entries of a dictionary of byte arrays, `KEY=HEX KEY=HEX`, sorted.
static void print_data(DBusMessageIter *dictionary, int *printed) {
  static char items[MAX_ITEMS][40 + 2 * MAX_BYTES + 1];
  int count = 0;
  DBusMessageIter entries, entry, value, array;
  dbus_message_iter_recurse(dictionary, &entries);
  for (; dbus_message_iter_get_arg_type(&entries) == DBUS_TYPE_DICT_ENTRY && count < MAX_ITEMS;
       dbus_message_iter_next(&entries)) {
    char *end = items[count++];
    const uint8_t *bytes;
    int length;
    dbus_message_iter_recurse(&entries, &entry);
    if (dbus_message_iter_get_arg_type(&entry) == DBUS_TYPE_UINT16) {
      uint16_t company;
      dbus_message_iter_get_basic(&entry, &company);
      end = put_hex(end, (uint8_t[]){company >> 8, company & 255}, 2);
    } else {
      const char *uuid;
      dbus_message_iter_get_basic(&entry, &uuid);
      end = put_uuid(end, uuid);
    }
    dbus_message_iter_next(&entry);
    dbus_message_iter_recurse(&entry, &value);
    dbus_message_iter_recurse(&value, &array);
    dbus_message_iter_get_fixed_array(&array, &bytes, &length);
    if (length > MAX_BYTES) fail("%d bytes of advertised data", length);
    *end++ = '=';
    *put_hex(end, bytes, (size_t)length) = 0;
  }
  qsort(items, (size_t)count, sizeof items[0], by_text);
  for (int i = 0; i < count; i++) printf((*printed)++ > 0 ? " %s" : "%s", items[i]);
}

static void print_device(struct device *device) {
  printf("found\t%s\t", device->address);
  if (device->has_rssi) printf("%d", device->rssi);
  printf("\t%s\t", device->name != NULL ? device->name : "");
  if (device->has_uuids) {
    DBusMessageIter strings;
    char text[40];
    const char *uuid, *comma = "";
    dbus_message_iter_recurse(&device->uuids, &strings);
    for (; dbus_message_iter_get_arg_type(&strings) == DBUS_TYPE_STRING; dbus_message_iter_next(&strings)) {
      dbus_message_iter_get_basic(&strings, &uuid);
      if (strlen(uuid) != 36) continue;
      *put_uuid(text, uuid) = 0;
      printf("%s%s", comma, text);
      comma = ",";
    }
  }
  int printed = 0;
  putchar('\t');
  if (device->has_companies) print_data(&device->companies, &printed);
  if (device->has_services) print_data(&device->services, &printed);
  putchar('\n');
}

int main(int argc, char **argv) {
  if (argc != 2) fail("usage: %s COUNT", argv[0]);
  const char *adapter = "/org/bluez/hci0";
  long left = atol(argv[1]);
  DBusConnection *bus = bus_open();
  set_filter(bus, adapter);
  dbus_message_unref(bus_await(bus, bluez_call(adapter, BLUEZ_ADAPTER, "StartDiscovery")));
  do {
    DBusMessage *message;
    while (left > 0 && (message = dbus_connection_pop_message(bus)) != NULL) {
      struct device device;
      if (dbus_message_is_signal(message, "org.freedesktop.DBus.ObjectManager", "InterfacesAdded") &&
          get_device(message, &device)) {
        print_device(&device);
        left -= 1;
      }
      dbus_message_unref(message);
    }
    fflush(stdout);  // nothing more has been read: what came is shown before waiting
  } while (left > 0 && dbus_connection_read_write(bus, -1));
  dbus_message_unref(bus_await(bus, bluez_call(adapter, BLUEZ_ADAPTER, "StopDiscovery")));
  dbus_connection_close(bus);
  return 0;
}
