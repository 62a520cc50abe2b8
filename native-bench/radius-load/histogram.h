/* Times in nanoseconds by buckets of at most 1.6 % width. */
#ifndef RADIUS_LOAD_HISTOGRAM_H
#define RADIUS_LOAD_HISTOGRAM_H

#include <stdint.h>

enum { histogram_parts = 64, histogram_octaves = 40 };

struct histogram {
  uint64_t count;
  uint64_t max;
  uint64_t buckets[histogram_octaves * histogram_parts];
};

void histogram_add(struct histogram *histogram, uint64_t nanoseconds);
/* Microseconds below which that share of the times lies; 0 when there is none. */
double histogram_at(const struct histogram *histogram, double share);

#endif
