import type { Dictionary } from './entry.ts'

/** Wi-Fi Alliance, Best Current Practices for Wireless Internet Service Provider Roaming. */
export const wispr: Dictionary = {
  attributes: [
    [1, 'WISPr-Location-ID', 'text'],
    [2, 'WISPr-Location-Name', 'text'],
    [3, 'WISPr-Logoff-URL', 'text'],
    [4, 'WISPr-Redirection-URL', 'text'],
    [5, 'WISPr-Bandwidth-Min-Up', 'integer'],
    [6, 'WISPr-Bandwidth-Min-Down', 'integer'],
    [7, 'WISPr-Bandwidth-Max-Up', 'integer'],
    [8, 'WISPr-Bandwidth-Max-Down', 'integer'],
    [9, 'WISPr-Session-Terminate-Time', 'text'],
    [10, 'WISPr-Session-Terminate-End-Of-Day', 'text'],
    [11, 'WISPr-Billing-Class-Of-Service', 'text'],
  ],
  values: {},
}
