/* RADIUS packets (RFC 2865, 2866, 2869, 2548) as a NAS makes and checks them. */
#ifndef RADIUS_LOAD_PACKET_H
#define RADIUS_LOAD_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "md5.h"
#include "ms-chap.h"

enum { packet_bytes_max = 4096, request_bytes_max = 384, name_bytes = 24 };
enum { code_access_request = 1, code_access_accept, code_access_reject, code_accounting_request, code_accounting_response };

/* Subscriber n has the login `user<n>`, a password and an address that follow from n; so every answer can be judged. */
enum { users_max = 16000000 };
void login_of(uint32_t user, char name[name_bytes]);
void password_of(uint32_t user, char password[name_bytes]);
uint32_t address_of(uint32_t user);

struct shared_secret {
  const char *text;
  size_t length;
  struct hmac_key key;
};

void shared_secret_set(struct shared_secret *secret, const char *text);

struct request_facts {
  uint8_t identifier;
  uint8_t authenticator[16];
  uint32_t user;
  /* Host order. */
  uint32_t nas;
  bool has_wrong_password;
};

enum accounting_status { accounting_start = 1, accounting_stop = 2, accounting_interim = 3 };

struct session {
  uint64_t number;
  uint32_t user;
  /* 0: start; then so many updates; then stop. */
  uint32_t step;
  uint64_t started_seconds;
};

/* Each writes a signed request and returns its length. */
size_t write_pap(uint8_t *out, const struct request_facts *facts, const struct shared_secret *secret);
size_t write_chap(uint8_t *out, const struct request_facts *facts, const struct shared_secret *secret);
size_t write_ms_chap2(uint8_t *out, const struct request_facts *facts, const struct shared_secret *secret,
                      const struct ms_chap2 *exchange);
size_t write_accounting(uint8_t *out, const struct request_facts *facts, const struct shared_secret *secret,
                        const struct session *session, enum accounting_status status, uint64_t now_seconds);

enum verdict { verdict_right, verdict_malformed, verdict_forged, verdict_unsigned };

/* What an answer says, once it is known to be the server's. */
struct answer {
  uint8_t code;
  bool has_address;
  uint32_t address;
  /* MS-CHAP2-Success, null without; inside of the packet. */
  const uint8_t *success;
  size_t success_length;
};

/* `authenticator` is that of the request. A Message-Authenticator is needed in answers to Access-Requests, and right wherever it is. */
enum verdict read_answer(uint8_t *packet, size_t length, const uint8_t authenticator[16],
                         const struct shared_secret *secret, struct answer *answer);

#endif
