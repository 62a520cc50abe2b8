#include "histogram.h"

/* Below 64 every value has a bucket; above, each doubling has 64. */
static uint32_t bucket_of(uint64_t value) {
  if (value < histogram_parts) return (uint32_t)value;
  uint32_t shift = 63u - 6u - (uint32_t)__builtin_clzll(value);
  uint32_t bucket = (shift + 1) * histogram_parts + ((uint32_t)(value >> shift) & (histogram_parts - 1));
  uint32_t last = histogram_octaves * histogram_parts - 1;
  return bucket < last ? bucket : last;
}

static double middle_of(uint32_t bucket) {
  if (bucket < histogram_parts) return bucket;
  uint32_t shift = bucket / histogram_parts - 1;
  return ((double)(histogram_parts + bucket % histogram_parts) + 0.5) * (double)(1ull << shift);
}

void histogram_add(struct histogram *histogram, uint64_t nanoseconds) {
  histogram->buckets[bucket_of(nanoseconds)]++;
  histogram->count++;
  if (nanoseconds > histogram->max) histogram->max = nanoseconds;
}

double histogram_at(const struct histogram *histogram, double share) {
  uint64_t wanted = (uint64_t)((double)histogram->count * share), seen = 0;
  if (histogram->count == 0) return 0;
  for (uint32_t bucket = 0; bucket < histogram_octaves * histogram_parts; bucket++) {
    seen += histogram->buckets[bucket];
    if (seen > wanted) return middle_of(bucket) / 1000;
  }
  return (double)histogram->max / 1000;
}
