/** IEEE 802.1Q: 0 and 4095 are reserved. */
export const vlanRange = { min: 1, max: 4094 } as const
