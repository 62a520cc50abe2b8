/*
 * The least a RADIUS server can do: a bare loop that answers the PAP requests of radius-load, with the hashes both sides need and
 * nothing else (no users: passwords and addresses are computed; no duplicate cache; one datagram at a time).
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "packet.h"

static const uint8_t *find(const uint8_t *packet, size_t length, uint8_t type) {
  for (size_t at = 20; at + 2 <= length && packet[at + 1] >= 2; at += packet[at + 1])
    if (packet[at] == type && at + packet[at + 1] <= length) return packet + at;
  return 0;
}

static bool is_signed(uint8_t *packet, size_t length, const struct shared_secret *secret) {
  uint8_t sent[16], digest[16];
  uint8_t *signature = (uint8_t *)find(packet, length, 80);
  if (!signature || signature[1] != 18) return false;
  memcpy(sent, signature + 2, 16);
  memset(signature + 2, 0, 16);
  hmac_md5(&secret->key, packet, length, digest);
  return memcmp(sent, digest, 16) == 0;
}

static bool is_password(const uint8_t *hidden, const uint8_t *authenticator, uint32_t user, const struct shared_secret *secret) {
  char password[name_bytes] = {0};
  uint8_t mask[16];
  struct md5 md5;
  password_of(user, password);
  md5_begin(&md5);
  md5_add(&md5, secret->text, secret->length);
  md5_add(&md5, authenticator, 16);
  md5_end(&md5, mask);
  for (int i = 0; i < 16; i++) mask[i] ^= (uint8_t)password[i];
  return memcmp(mask, hidden, 16) == 0;
}

/* The attributes behind the Message-Authenticator are those every side of the comparison answers with. */
static size_t write_answer(uint8_t *out, const uint8_t *request, bool is_accept, uint32_t user, const struct shared_secret *secret) {
  /* Acct-Interim-Interval 300 and Mikrotik-Rate-Limit 100M/100M. */
  static const uint8_t fixed[] = {85, 6, 0, 0, 1, 44, 26, 17, 0, 0, 58, 140, 8, 11, '1', '0', '0', 'M', '/', '1', '0', '0', 'M'};
  size_t length = 38;
  struct md5 md5;
  uint8_t digest[16];
  memcpy(out, request, 20);
  out[0] = is_accept ? code_access_accept : code_access_reject;
  out[20] = 80;
  out[21] = 18;
  memset(out + 22, 0, 16);
  if (is_accept) {
    uint32_t address = htonl(address_of(user));
    out[length] = 8;
    out[length + 1] = 6;
    memcpy(out + length + 2, &address, 4);
    memcpy(out + length + 6, fixed, sizeof fixed);
    length += 6 + sizeof fixed;
    size_t class = (size_t)sprintf((char *)out + length + 2, "tg1/%u/%u", user, user);
    out[length] = 25;
    out[length + 1] = (uint8_t)(class + 2);
    length += class + 2;
  }
  out[2] = (uint8_t)(length >> 8);
  out[3] = (uint8_t)length;
  hmac_md5(&secret->key, out, length, digest);
  memcpy(out + 22, digest, 16);
  md5_begin(&md5);
  md5_add(&md5, out, length);
  md5_add(&md5, secret->text, secret->length);
  md5_end(&md5, out + 4);
  return length;
}

/* `radius-floor <secret> [<every so many-th is blocked>]`; says its port and serves until it is killed. */
int main(int count, char **words) {
  struct shared_secret secret;
  struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t here_length = sizeof here;
  uint32_t blocked_every = count > 2 ? (uint32_t)atoi(words[2]) : 0;
  int descriptor = socket(AF_INET, SOCK_DGRAM, 0);
  if (count < 2 || descriptor < 0 || bind(descriptor, (struct sockaddr *)&here, sizeof here) < 0) return 1;
  getsockname(descriptor, (struct sockaddr *)&here, &here_length);
  shared_secret_set(&secret, words[1]);
  printf("%u\n", ntohs(here.sin_port));
  fflush(stdout);
  for (;;) {
    uint8_t request[packet_bytes_max], answer[packet_bytes_max];
    struct sockaddr_in from;
    socklen_t from_length = sizeof from;
    ssize_t length = recvfrom(descriptor, request, sizeof request, 0, (struct sockaddr *)&from, &from_length);
    if (length < 20 || !is_signed(request, (size_t)length, &secret)) continue;
    const uint8_t *name = find(request, (size_t)length, 1), *hidden = find(request, (size_t)length, 2);
    if (!name || !hidden || hidden[1] != 18) continue;
    char login[256] = {0};
    memcpy(login, name + 2, name[1] - 2u);
    uint32_t user = (uint32_t)strtoul(login + 4, 0, 10);
    bool is_accept = is_password(hidden + 2, request + 4, user, &secret) && (blocked_every == 0 || user % blocked_every != 0);
    size_t answer_length = write_answer(answer, request, is_accept, user, &secret);
    sendto(descriptor, answer, answer_length, 0, (struct sockaddr *)&from, from_length);
  }
}
