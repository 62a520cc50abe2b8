import type { Account, Login, Subscriber } from '../../src/domain/account.ts'
import { noBlocks } from '../../src/domain/block.ts'
import { accountId, loginId, organizationId, subscriberId } from '../../src/domain/ids.ts'
import { rubles, zero } from '../../src/domain/money.ts'

export const aLogin = (over: Partial<Login> = {}): Login => ({
  id: loginId(100),
  name: 'ivan',
  disabledByHand: false,
  enabled: true,
  ...over,
})

export const aSubscriber = (over: Partial<Subscriber> = {}): Subscriber => ({
  id: subscriberId(10),
  organizationId: organizationId(1),
  deleted: false,
  enabled: true,
  blocks: noBlocks,
  hasBlockRecord: false,
  tariffId: null,
  promise: null,
  lastPromiseAt: null,
  chargedFrom: null,
  walledGarden: false,
  logins: [aLogin()],
  ...over,
})

/** An account in order: 100 rubles received, nothing spent, limit 0, one subscriber with one login. */
export const anAccount = (over: Partial<Account> = {}): Account => ({
  id: accountId(1),
  version: 0,
  balance: rubles(100),
  receipts: rubles(100),
  writeOffs: zero,
  debtSince: null,
  limit: zero,
  unlimited: false,
  unlimitedUntil: null,
  warnBelow: null,
  sleepUntil: null,
  warnedAt: null,
  lastOperationId: null,
  chain: { length: 0, head: '' },
  subscribers: [aSubscriber()],
  ...over,
})
