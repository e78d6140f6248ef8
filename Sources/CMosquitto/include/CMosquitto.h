// SPDX-License-Identifier: MIT
#pragma once
#include <stdbool.h>
#include <stddef.h>

// The few functions of libmosquitto that a log needs, from the library of the system, which is loaded at the first use.
//
// A client is used by one thread at a time. It starts no thread: its user calls cmosquitto_loop.

/// A client of a broker.
typedef struct cmosquitto_client cmosquitto_client;

/// Loads the library; once is enough, further calls do nothing.
/// Returns NULL, or why it cannot be loaded.
const char *cmosquitto_load(void);

// Result codes of libmosquitto.
enum {
  CMOSQUITTO_OK = 0,
  CMOSQUITTO_NO_CONNECTION = 4,
  CMOSQUITTO_REFUSED = 5,
  CMOSQUITTO_LOST = 7,
  CMOSQUITTO_TLS = 8,
  CMOSQUITTO_ERRNO = 14,
  CMOSQUITTO_UNKNOWN_HOST = 15,
  CMOSQUITTO_SILENT = 19,
};

/// What the broker answers to a connection.
enum {
  CMOSQUITTO_NO_ANSWER = -1,
  CMOSQUITTO_ACCEPTED = 0,
  CMOSQUITTO_BUSY = 3,
  CMOSQUITTO_BAD_PASSWORD = 4,
  CMOSQUITTO_NOT_AUTHORISED = 5,
};

/// What was wrong with the encryption, after CMOSQUITTO_TLS.
enum {
  /// Something else than the certificate: the connection has ended, or the other end speaks no TLS.
  CMOSQUITTO_TLS_BROKEN,
  /// The certificate does not lead to a trusted authority, or is not valid now.
  CMOSQUITTO_TLS_UNTRUSTED,
  /// The certificate is trusted, but is that of another host.
  CMOSQUITTO_TLS_MISNAMED,
};

/// Messages that the broker has not acknowledged yet; more must not be published.
enum { CMOSQUITTO_WINDOW = 100 };

/// A client that is not connected; NULL without memory.
cmosquitto_client *cmosquitto_new(const char *identifier);
void cmosquitto_free(cmosquitto_client *client);

int cmosquitto_set_user(cmosquitto_client *client, const char *user, const char *password);
/// What the broker publishes, and keeps, when the connection ends without a farewell.
int cmosquitto_set_will(cmosquitto_client *client, const char *topic, const void *payload, size_t count);
/// Encrypts, and trusts the authorities in a file; with NULL, those of the system.
int cmosquitto_use_tls(cmosquitto_client *client, const char *authorities);

/// Connects, or connects again. Blocks while the name is looked up, and while the host does not answer.
int cmosquitto_connect(cmosquitto_client *client, const char *host, int port, int keepalive);
/// Waits for the socket, then reads, writes and keeps the connection alive.
int cmosquitto_loop(cmosquitto_client *client, int milliseconds);
/// Publishes with QoS 1; what was not acknowledged is sent again over the next connection.
int cmosquitto_publish(cmosquitto_client *client, int *number, const char *topic, const void *payload, size_t count,
                       bool is_retained);
/// Says farewell: the broker does not publish the will.
int cmosquitto_disconnect(cmosquitto_client *client);

/// What was wrong with the encryption of the last connection.
int cmosquitto_tls_fault(const cmosquitto_client *client);
/// What the broker has answered to the last connection.
int cmosquitto_answer(const cmosquitto_client *client);
/// Takes the number of a message that the broker has acknowledged; false when there is none.
bool cmosquitto_next_acknowledged(cmosquitto_client *client, int *number);
/// Why a call failed, in words; valid until the next call.
const char *cmosquitto_reason(const cmosquitto_client *client, int status);
