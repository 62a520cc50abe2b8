#ifndef RADIUS_LOAD_OPTIONS_H
#define RADIUS_LOAD_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

enum method { method_pap, method_chap, method_ms_chap2, method_accounting };

/* What is asked, how fast and by whom. Addresses are in host order. */
struct options {
  enum method method;
  uint32_t host;
  uint16_t port;
  const char *secret;
  /* NAS of addresses one behind another; sockets are spread over them. */
  uint32_t nas_first;
  uint32_t nas_count;
  uint32_t sockets;
  /* Subscribers 1 … users, by chance or in turn. */
  uint32_t users;
  bool in_turn;
  /* Every so many-th subscriber is blocked, every so many-th password is wrong; 0: none. */
  uint32_t blocked_every;
  uint32_t wrong_every;
  /* Requests under way in the closed loop; the open loop is chosen by a rate above 0, in requests a second. */
  uint32_t outstanding;
  double rate;
  double seconds;
  /* Ends earlier after so many requests; 0: does not. */
  uint64_t requests_max;
  double timeout_seconds;
  uint32_t tries;
  /* So often is each request sent again after its answer, to be answered with the same bytes. */
  uint32_t repeats;
  /* Accounting: sessions at a time, and interim updates of each between start and stop. */
  uint32_t sessions;
  uint32_t interims;
  uint64_t seed;
};

/* Ends the program with a sentence and status 2 when an option is wrong. */
struct options read_options(int count, char **words);

#endif
