import type { Dictionary } from './entry.ts'

/** RFC 4679. */
export const adslForum: Dictionary = {
  attributes: [
    [1, 'ADSL-Agent-Circuit-Id', 'octets'],
    [2, 'ADSL-Agent-Remote-Id', 'octets'],
    [129, 'Actual-Data-Rate-Upstream', 'integer'],
    [130, 'Actual-Data-Rate-Downstream', 'integer'],
    [131, 'Minimum-Data-Rate-Upstream', 'integer'],
    [132, 'Minimum-Data-Rate-Downstream', 'integer'],
    [133, 'Attainable-Data-Rate-Upstream', 'integer'],
    [134, 'Attainable-Data-Rate-Downstream', 'integer'],
    [135, 'Maximum-Data-Rate-Upstream', 'integer'],
    [136, 'Maximum-Data-Rate-Downstream', 'integer'],
    [137, 'Minimum-Data-Rate-Upstream-Low-Power', 'integer'],
    [138, 'Minimum-Data-Rate-Downstream-Low-Power', 'integer'],
    [139, 'Maximum-Interleaving-Delay-Upstream', 'integer'],
    [140, 'Actual-Interleaving-Delay-Upstream', 'integer'],
    [141, 'Maximum-Interleaving-Delay-Downstream', 'integer'],
    [142, 'Actual-Interleaving-Delay-Downstream', 'integer'],
    [144, 'Access-Loop-Encapsulation', 'octets'],
    [254, 'IWF-Session', 'octets'],
  ],
  values: {},
}
