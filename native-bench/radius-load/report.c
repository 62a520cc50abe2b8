#include <stdio.h>
#include <sys/resource.h>

#include "load.h"

void report(const struct run *run, uint64_t ended) {
  const struct counts *counts = &run->counts;
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  double own = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6 +
               (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
  uint64_t sending = (ended < run->until ? ended : run->until) - run->started;
  uint64_t wrong = counts->undeserved_accepts + counts->undeserved_rejects + counts->forged + counts->unsigned_answers +
                   counts->malformed + counts->unequal_repeats;
#define NUMBER(name, value) printf("\"%s\":%llu,", name, (unsigned long long)(value))
  printf("{");
  NUMBER("sent", counts->sent);
  NUMBER("answered", counts->answered);
  NUMBER("accepted", counts->accepted);
  NUMBER("rejected", counts->rejected);
  NUMBER("started", counts->starts);
  NUMBER("updated", counts->updates);
  NUMBER("stopped", counts->stops);
  NUMBER("wrong", wrong);
  NUMBER("undeservedAccepts", counts->undeserved_accepts);
  NUMBER("undeservedRejects", counts->undeserved_rejects);
  NUMBER("forged", counts->forged);
  NUMBER("unsigned", counts->unsigned_answers);
  NUMBER("malformed", counts->malformed);
  NUMBER("unequalRepeats", counts->unequal_repeats);
  NUMBER("retransmitted", counts->retransmitted);
  NUMBER("late", counts->late);
  NUMBER("lost", counts->lost);
  printf("\"seconds\":%.6f,", (double)sending / 1e9);
  printf("\"rate\":%.1f,", sending ? (double)counts->answered_in_time * 1e9 / (double)sending : 0);
  printf("\"ownMicroseconds\":%.2f,", counts->sent ? own / (double)counts->sent : 0);
  printf("\"latency\":{\"p50\":%.1f,\"p90\":%.1f,\"p99\":%.1f,\"p999\":%.1f,\"max\":%.1f}}\n",
         histogram_at(&run->latency, 0.5), histogram_at(&run->latency, 0.9), histogram_at(&run->latency, 0.99),
         histogram_at(&run->latency, 0.999), (double)run->latency.max / 1000);
}
