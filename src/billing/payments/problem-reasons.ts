/** Why a notice was not credited. */
export const problemReasons = [
  'badSignature',
  'malformed',
  'wrongShop',
  'unknownOrder',
  'unknownSubscriber',
  'wrongAmount',
  'doubled',
  'notConfirmed',
  'notPosted',
  'orphaned',
] as const
export type ProblemReason = (typeof problemReasons)[number]

/** Anybody can send these. */
const unsigned: readonly ProblemReason[] = ['badSignature', 'malformed']

export const isUnsigned = ({ reason }: { readonly reason: ProblemReason }): boolean => unsigned.includes(reason)
export const isUnsignedSql = `reason IN ('${unsigned.join("', '")}')`

/** Nobody has signed these, or the gateway does not stand by them: there may be no money behind them. */
const unproven: readonly ProblemReason[] = [...unsigned, 'wrongShop', 'notConfirmed']

export const isProven = (reason: ProblemReason): boolean => !unproven.includes(reason)

/** How an operator has settled a payment that was not credited. */
export const settlements = ['credited', 'given_back', 'noted'] as const
export type SettlementKind = (typeof settlements)[number]
