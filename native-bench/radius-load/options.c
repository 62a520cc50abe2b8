#include "options.h"

#include <arpa/inet.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "packet.h"

static const struct option known[] = {
    {"method", required_argument, 0, 'm'},        {"host", required_argument, 0, 'h'},
    {"port", required_argument, 0, 'p'},          {"secret", required_argument, 0, 's'},
    {"nas", required_argument, 0, 'n'},           {"nas-count", required_argument, 0, 'N'},
    {"sockets", required_argument, 0, 'k'},       {"users", required_argument, 0, 'u'},
    {"order", required_argument, 0, 'o'},         {"blocked-every", required_argument, 0, 'b'},
    {"wrong-every", required_argument, 0, 'w'},   {"outstanding", required_argument, 0, 'O'},
    {"rate", required_argument, 0, 'r'},          {"seconds", required_argument, 0, 't'},
    {"requests", required_argument, 0, 'q'},      {"timeout", required_argument, 0, 'T'},
    {"tries", required_argument, 0, 'y'},         {"repeats", required_argument, 0, 'R'},
    {"sessions", required_argument, 0, 'S'},      {"interims", required_argument, 0, 'i'},
    {"seed", required_argument, 0, 'e'},          {0, 0, 0, 0},
};

static void refuse(const char *sentence, const char *value) {
  fprintf(stderr, "radius-load: %s: %s\n", sentence, value);
  exit(2);
}

static double number(const char *text, double least, double most, const char *what) {
  char *end;
  double value = strtod(text, &end);
  if (*text == 0 || *end != 0 || value < least || value > most) refuse(what, text);
  return value;
}

static uint32_t count_of(const char *text, uint32_t least, uint32_t most, const char *what) {
  return (uint32_t)number(text, least, most, what);
}

static uint32_t loopback(const char *text) {
  struct in_addr address;
  if (inet_pton(AF_INET, text, &address) != 1 || ntohl(address.s_addr) >> 24 != 127)
    refuse("only addresses of this machine (127.0.0.0/8) are asked, and from such ones", text);
  return ntohl(address.s_addr);
}

static enum method method_of(const char *text) {
  static const char *const names[] = {"pap", "chap", "mschapv2", "accounting"};
  for (int i = 0; i < 4; i++)
    if (strcmp(text, names[i]) == 0) return (enum method)i;
  refuse("a method is pap, chap, mschapv2 or accounting", text);
  return method_pap;
}

static void take(struct options *options, int name, const char *text) {
  switch (name) {
    case 'm': options->method = method_of(text); break;
    case 'h': options->host = loopback(text); break;
    case 'p': options->port = (uint16_t)count_of(text, 1, 65535, "not a port"); break;
    case 's': options->secret = text; break;
    case 'n': options->nas_first = loopback(text); break;
    case 'N': options->nas_count = count_of(text, 1, 4096, "not a number of NAS"); break;
    case 'k': options->sockets = count_of(text, 1, 4096, "not a number of sockets"); break;
    case 'u': options->users = count_of(text, 1, users_max, "not a number of users"); break;
    case 'o': options->in_turn = strcmp(text, "turn") == 0; break;
    case 'b': options->blocked_every = count_of(text, 0, users_max, "not a number"); break;
    case 'w': options->wrong_every = count_of(text, 0, users_max, "not a number"); break;
    case 'O': options->outstanding = count_of(text, 1, 1000000, "not a number of requests"); break;
    case 'r': options->rate = number(text, 0, 1e7, "not a rate"); break;
    case 't': options->seconds = number(text, 0.01, 3600, "not a number of seconds"); break;
    case 'q': options->requests_max = (uint64_t)number(text, 0, 1e12, "not a number of requests"); break;
    case 'T': options->timeout_seconds = number(text, 0.001, 60, "not a number of seconds"); break;
    case 'y': options->tries = count_of(text, 1, 100, "not a number of tries"); break;
    case 'R': options->repeats = count_of(text, 0, 1000, "not a number of repeats"); break;
    case 'S': options->sessions = count_of(text, 1, 10000000, "not a number of sessions"); break;
    case 'i': options->interims = count_of(text, 0, 1000000, "not a number of updates"); break;
    case 'e': options->seed = (uint64_t)number(text, 0, 1e15, "not a seed"); break;
    default: exit(2);
  }
}

struct options read_options(int count, char **words) {
  struct options options = {
      .method = method_pap,
      .host = INADDR_LOOPBACK,
      .secret = "testing123",
      .nas_first = INADDR_LOOPBACK,
      .nas_count = 1,
      .sockets = 16,
      .users = 10000,
      .outstanding = 128,
      .seconds = 5,
      .timeout_seconds = 1,
      .tries = 3,
      .sessions = 2000,
      .interims = 3,
      .seed = (uint64_t)time(0),
  };
  for (int name; (name = getopt_long(count, words, "", known, 0)) != -1;) take(&options, name, optarg);
  if (optind < count) refuse("not an option", words[optind]);
  if (options.port == 0) refuse("needed", "--port");
  if (options.sockets > options.outstanding) options.sockets = options.outstanding;
  if (options.sockets < options.nas_count) options.sockets = options.nas_count;
  if (options.outstanding < options.sockets) options.outstanding = options.sockets;
  if (options.outstanding > options.sockets * 256) refuse("more than 256 requests a socket cannot be told apart", "--outstanding");
  return options;
}
