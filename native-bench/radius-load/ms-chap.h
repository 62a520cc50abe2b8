/* MS-CHAPv2 as the one who signs in computes it (RFC 2759 section 8). */
#ifndef RADIUS_LOAD_MS_CHAP_H
#define RADIUS_LOAD_MS_CHAP_H

#include <stdint.h>

struct ms_chap2 {
  uint8_t challenge[16];
  uint8_t peer_challenge[16];
  uint8_t nt_response[24];
  /* What the server has to prove: `S=` and forty hex digits. */
  char success[43];
};

/* Fills in response and proof for the two challenges. `password` is ASCII of at most 64 characters. */
void ms_chap2_answer(struct ms_chap2 *exchange, const char *login, const char *password);

#endif
