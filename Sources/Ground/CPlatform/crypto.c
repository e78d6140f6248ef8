// SPDX-License-Identifier: MIT
#include "CCrypto.h"

#include "CDynamicLibrary.h"

#include <limits.h>
#include <stdbool.h>

// Constants of <openssl/evp.h>, whose numbers are part of its stable interface.
enum { CTRL_SET_NONCE_LENGTH = 0x09, CTRL_GET_TAG = 0x10, CTRL_SET_TAG = 0x11 };

typedef struct evp_cipher_st EVP_CIPHER;
typedef struct evp_cipher_ctx_st EVP_CIPHER_CTX;
typedef struct evp_md_st EVP_MD;

static struct {
  EVP_CIPHER *(*fetch)(void *, const char *, const char *);
  EVP_CIPHER_CTX *(*context_new)(void);
  void (*context_free)(EVP_CIPHER_CTX *);
  int (*context_ctrl)(EVP_CIPHER_CTX *, int, int, void *);
  int (*set_padding)(EVP_CIPHER_CTX *, int);
  int (*init)(EVP_CIPHER_CTX *, const EVP_CIPHER *, void *, const uint8_t *, const uint8_t *, int);
  int (*update)(EVP_CIPHER_CTX *, uint8_t *, int *, const uint8_t *, int);
  int (*final)(EVP_CIPHER_CTX *, uint8_t *, int *);
  EVP_MD *(*digest_fetch)(void *, const char *, const char *);
  int (*digest)(const void *, size_t, uint8_t *, unsigned *, const EVP_MD *, void *);
} crypto;

static EVP_CIPHER *ecb, *ctr, *ccm;
static EVP_MD *sha256;

const char *ccrypto_load(void) {
  const struct cdynamic_symbol symbols[] = {
      {"EVP_CIPHER_fetch", &crypto.fetch},
      {"EVP_CIPHER_CTX_new", &crypto.context_new},
      {"EVP_CIPHER_CTX_free", &crypto.context_free},
      {"EVP_CIPHER_CTX_ctrl", &crypto.context_ctrl},
      {"EVP_CIPHER_CTX_set_padding", &crypto.set_padding},
      {"EVP_CipherInit_ex", &crypto.init},
      {"EVP_CipherUpdate", &crypto.update},
      {"EVP_CipherFinal_ex", &crypto.final},
      {"EVP_MD_fetch", &crypto.digest_fetch},
      {"EVP_Digest", &crypto.digest},
  };
  const char *reason = cdynamic_load("libcrypto.so.3", symbols, sizeof symbols / sizeof *symbols);
  if (reason) return reason;
  ecb = crypto.fetch(NULL, "AES-128-ECB", NULL);
  ctr = crypto.fetch(NULL, "AES-128-CTR", NULL);
  ccm = crypto.fetch(NULL, "AES-128-CCM", NULL);
  sha256 = crypto.digest_fetch(NULL, "SHA2-256", NULL);
  return ecb && ctr && ccm && sha256 ? NULL : "libcrypto does not provide AES and SHA-256";
}

// EVP takes a null pointer for another request than no bytes.
static const uint8_t *start(struct ccrypto_bytes bytes) { return bytes.start ? bytes.start : (const uint8_t *)""; }

static bool fits(struct ccrypto_bytes bytes) { return bytes.count <= INT_MAX; }

static int encrypt(const EVP_CIPHER *mode, const uint8_t *key, const uint8_t *counter, struct ccrypto_bytes bytes,
                   uint8_t *result) {
  EVP_CIPHER_CTX *context = crypto.context_new();
  int written, rest;
  bool is_done = context && fits(bytes) && crypto.init(context, mode, NULL, key, counter, 1) == 1 &&
                 crypto.set_padding(context, 0) == 1 &&
                 crypto.update(context, result, &written, start(bytes), (int)bytes.count) == 1 &&
                 crypto.final(context, result + written, &rest) == 1;
  crypto.context_free(context);
  return is_done ? CCRYPTO_OK : CCRYPTO_FAILED;
}

int ccrypto_encrypt_block(const uint8_t *key, const uint8_t *block, uint8_t *result) {
  return encrypt(ecb, key, NULL, (struct ccrypto_bytes){block, CCRYPTO_BLOCK}, result);
}

int ccrypto_count(const uint8_t *key, const uint8_t *counter, struct ccrypto_bytes bytes, uint8_t *result) {
  return encrypt(ctr, key, counter, bytes, result);
}

/// Prepares CCM, up to the bytes; with a tag to check, for decryption.
static bool prepare(EVP_CIPHER_CTX *context, const uint8_t *key, struct ccrypto_bytes nonce,
                    struct ccrypto_bytes associated, size_t count, const uint8_t *tag, size_t tag_count) {
  int written, is_sealing = tag == NULL;
  return context && fits(nonce) && fits(associated) && count <= INT_MAX && tag_count <= CCRYPTO_BLOCK &&
         crypto.init(context, ccm, NULL, NULL, NULL, is_sealing) == 1 &&
         crypto.context_ctrl(context, CTRL_SET_NONCE_LENGTH, (int)nonce.count, NULL) == 1 &&
         crypto.context_ctrl(context, CTRL_SET_TAG, (int)tag_count, (void *)tag) == 1 &&
         crypto.init(context, NULL, NULL, key, start(nonce), is_sealing) == 1 &&
         crypto.update(context, NULL, &written, NULL, (int)count) == 1 &&
         (!associated.count ||
          crypto.update(context, NULL, &written, associated.start, (int)associated.count) == 1);
}

int ccrypto_seal(const uint8_t *key, struct ccrypto_bytes nonce, struct ccrypto_bytes associated,
                 struct ccrypto_bytes bytes, uint8_t *result, uint8_t *tag, size_t tag_count) {
  EVP_CIPHER_CTX *context = crypto.context_new();
  int written, rest;
  bool is_done = prepare(context, key, nonce, associated, bytes.count, NULL, tag_count) &&
                 crypto.update(context, result, &written, start(bytes), (int)bytes.count) == 1 &&
                 crypto.final(context, result + written, &rest) == 1 &&
                 crypto.context_ctrl(context, CTRL_GET_TAG, (int)tag_count, tag) == 1;
  crypto.context_free(context);
  return is_done ? CCRYPTO_OK : CCRYPTO_FAILED;
}

int ccrypto_open(const uint8_t *key, struct ccrypto_bytes nonce, struct ccrypto_bytes associated,
                 struct ccrypto_bytes bytes, struct ccrypto_bytes tag, uint8_t *result) {
  EVP_CIPHER_CTX *context = crypto.context_new();
  int written, status = CCRYPTO_FAILED;
  if (prepare(context, key, nonce, associated, bytes.count, start(tag), tag.count)) {
    bool is_authentic = crypto.update(context, result, &written, start(bytes), (int)bytes.count) == 1;
    status = is_authentic ? CCRYPTO_OK : CCRYPTO_NOT_AUTHENTIC;
  }
  crypto.context_free(context);
  return status;
}

int ccrypto_sha256(struct ccrypto_bytes bytes, uint8_t *result) {
  unsigned count;
  return crypto.digest(start(bytes), bytes.count, result, &count, sha256, NULL) == 1 ? CCRYPTO_OK : CCRYPTO_FAILED;
}
