// SPDX-License-Identifier: MIT
/// The baseline of `blectl scan --count N`: starts a discovery with the same filter, writes a line for each device when
/// it is first seen, and stops after N. It is run where BlueZ knows no device yet, so that each of them is announced
/// by InterfacesAdded once. With `--duplicates` a line for each advertisement: what a device last said is kept, and
/// shown again with the strength that PropertiesChanged carries. With `--data`, the floor of `blectl listen --all`, a line
/// for each advertisement with service data: address and bytes, which nothing decodes.
#define _GNU_SOURCE
#include "baseline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ITEMS = 32, MAX_BYTES = 255, MAX_DEVICES = 4096 };

static const char base_uuid[] = "-0000-1000-8000-00805f9b34fb";

/// What a line shows of a device; the pointers are into the message.
struct device {
  const char *address, *name;
  int16_t rssi;
  int has_rssi, has_uuids, has_companies, has_services;
  DBusMessageIter uuids, companies, services;
};

static void set_filter(DBusConnection *bus, const char *adapter, dbus_bool_t duplicates) {
  DBusMessage *call = bluez_call(adapter, BLUEZ_ADAPTER, "SetDiscoveryFilter");
  DBusMessageIter arguments, options;
  const char *transport = "le", *pattern = "";
  int16_t rssi = -127;
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

static void take_property(struct device *device, const char *key, DBusMessageIter *value) {
  if (strcmp(key, "Address") == 0) {
    get_variant(value, &device->address);
  } else if (strcmp(key, "Name") == 0) {
    get_variant(value, &device->name);
  } else if (strcmp(key, "RSSI") == 0) {
    get_variant(value, &device->rssi);
    device->has_rssi = 1;
  } else if (strcmp(key, "UUIDs") == 0) {
    dbus_message_iter_recurse(value, &device->uuids);
    device->has_uuids = 1;
  } else if (strcmp(key, "ManufacturerData") == 0) {
    dbus_message_iter_recurse(value, &device->companies);
    device->has_companies = 1;
  } else if (strcmp(key, "ServiceData") == 0) {
    dbus_message_iter_recurse(value, &device->services);
    device->has_services = 1;
  }
}

static const char *added_path(DBusMessage *message) {
  DBusMessageIter body;
  const char *path;
  dbus_message_iter_init(message, &body);
  dbus_message_iter_get_basic(&body, &path);
  return path;
}

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
  while ((key = next_entry(&properties, &value)) != NULL) take_property(device, key, &value);
  return device->address != NULL;
}

// MARK: Devices that are heard again

/// A device that was heard, and the messages that its texts and data lie in.
struct known {
  char *path;
  struct device device;
};

static struct known known[MAX_DEVICES];

/// The place of a path: that of the device, or an empty one.
static struct known *find_known(const char *path) {
  uint32_t hash = 2166136261u;
  for (const char *c = path; *c != 0; c++) hash = (hash ^ (uint8_t)*c) * 16777619u;
  for (uint32_t i = hash;; i++) {
    struct known *place = &known[i % MAX_DEVICES];
    if (place->path == NULL || strcmp(place->path, path) == 0) return place;
  }
}

/// Keeps a device, and the message that announced it.
static void keep(DBusMessage *message, const struct device *device) {
  static int count;
  if (++count == MAX_DEVICES) fail("too many devices");
  struct known *place = find_known(added_path(message));
  place->path = strdup(added_path(message));
  place->device = *device;
  dbus_message_ref(message);
}

/// Applies a PropertiesChanged of a device; NULL when the signal has no RSSI. Data that come with it are those
/// that the device has advertised before: the message is not kept.
static struct device *apply_change(DBusMessage *message) {
  DBusMessageIter body, properties, value;
  const char *interface, *key;
  struct known *place = find_known(dbus_message_get_path(message));
  if (place->path == NULL) return NULL;
  dbus_message_iter_init(message, &body);
  dbus_message_iter_get_basic(&body, &interface);
  if (strcmp(interface, BLUEZ_DEVICE) != 0) return NULL;
  dbus_message_iter_next(&body);
  dbus_message_iter_recurse(&body, &properties);
  struct device change = {0};
  while ((key = next_entry(&properties, &value)) != NULL) take_property(&change, key, &value);
  if (!change.has_rssi) return NULL;
  place->device.rssi = change.rssi;
  return &place->device;
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

static void print_device(const char *event, struct device *device) {
  printf("%s\t%s\t", event, device->address);
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

// MARK: Values

/// Writes the data of a device's services.
static void print_values(struct device *device, const char *address) {
  int printed = 0;
  printf("%s\t", address);
  print_data(&device->services, &printed);
  putchar('\n');
}

/// Writes the data that a PropertiesChanged carries; 0 when it has none.
static int print_changed_values(DBusMessage *message) {
  DBusMessageIter body, properties, value;
  const char *key;
  struct known *place = find_known(dbus_message_get_path(message));
  if (place->path == NULL) return 0;
  dbus_message_iter_init(message, &body);
  dbus_message_iter_next(&body);
  dbus_message_iter_recurse(&body, &properties);
  struct device change = {0};
  while ((key = next_entry(&properties, &value)) != NULL) take_property(&change, key, &value);
  if (!change.has_services) return 0;
  print_values(&change, place->device.address);
  return 1;
}

int main(int argc, char **argv) {
  if (argc < 2) fail("usage: %s COUNT [--duplicates | --data]", argv[0]);
  int data = argc > 2 && strcmp(argv[2], "--data") == 0;
  int duplicates = data || (argc > 2 && strcmp(argv[2], "--duplicates") == 0);
  const char *adapter = "/org/bluez/hci0";
  long left = atol(argv[1]);
  DBusConnection *bus = bus_open();
  set_filter(bus, adapter, duplicates);
  dbus_message_unref(bus_await(bus, bluez_call(adapter, BLUEZ_ADAPTER, "StartDiscovery")));
  do {
    DBusMessage *message;
    while (left > 0 && (message = dbus_connection_pop_message(bus)) != NULL) {
      struct device device;
      if (dbus_message_is_signal(message, "org.freedesktop.DBus.ObjectManager", "InterfacesAdded") &&
          get_device(message, &device)) {
        if (data) {
          print_values(&device, device.address);
        } else {
          print_device("found", &device);
        }
        if (duplicates) keep(message, &device);
        left -= 1;
      } else if (duplicates && dbus_message_is_signal(message, DBUS_INTERFACE_PROPERTIES, "PropertiesChanged")) {
        if (data) {
          left -= print_changed_values(message);
          dbus_message_unref(message);
          continue;
        }
        struct device *changed = apply_change(message);
        if (changed != NULL) {
          print_device("changed", changed);
          left -= 1;
        }
      }
      dbus_message_unref(message);
    }
    fflush(stdout);  // nothing more has been read: what came is shown before waiting
  } while (left > 0 && dbus_connection_read_write(bus, -1));
  dbus_message_unref(bus_await(bus, bluez_call(adapter, BLUEZ_ADAPTER, "StopDiscovery")));
  dbus_connection_close(bus);
  return 0;
}
