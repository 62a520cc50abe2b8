/**
 * The facts of a fault. Numbers are text, amounts in units of 10^-10 rubles; only the facts that the kind of fault
 * needs are present.
 */
export type Facts = Readonly<Record<string, string | boolean | undefined>>

/** The first broken record of an account. */
export type Fault = {
  readonly accountId: number
  /** Null: the fault is in the account itself or in a key. */
  readonly operationId: number | null
  readonly kind: FaultKind
  /** Names the record, what is stored and what it should be. */
  readonly sentence: string
} & Compared

/** What is stored and what it should be, where the fault is in one value; null where there is none. */
type Compared = { readonly stored: string | null; readonly due: string | null }

export function faultOf(accountId: number, kind: FaultKind, facts: Facts): Fault {
  const operationId = typeof facts.op === 'string' ? Number(facts.op) : null
  const named = operationId === null ? `account ${accountId}` : `account ${accountId}, ${recordOf(facts)}`
  return { accountId, operationId, kind, sentence: `${named}: ${troubles[kind](facts)}`, ...compared(kind, facts) }
}

const recordOf = ({ op, seq, removed }: Facts): string =>
  `${removed ? 'removed operation' : 'operation'} ${op}${seq === undefined ? '' : ` (no. ${seq} of the account)`}`

/**
 * Formats rubles with all decimal places that are not zero, at least two, so that even a change of one unit is visible.
 */
function rubles(units: string | boolean | undefined): string {
  const [, sign, digits] = /^(-?)(\d+)$/.exec(String(units)) ?? [null, '', '0']
  const padded = digits!.padStart(11, '0')
  const fraction = padded.slice(-10).replace(/0{1,8}$/, '')
  return `${sign}${padded.slice(0, -10)}.${fraction}`
}

const short = (hash: Facts[string]): string => (hash ? `${String(hash).slice(0, 16)}…` : 'empty')

const after = ({ before, before_seq: seq }: Facts): string =>
  before === undefined ? 'at the beginning' : `after operation ${before} (no. ${seq})`

const range = (from: number, to: number): string => (from === to ? `no. ${from}` : `nos. ${from} to ${to}`)

const isOr = (marked: Facts[string]): string => (marked ? 'is' : 'is not')

/** What can be wrong with a record of an account, with the account as a whole, or with an idempotency key. */
const troubles = {
  unchained: ({ amount }) =>
    `it stands outside of the chain (amount ${rubles(amount)}); Tollgate has not written it, and it should not be there.`,
  doubled: (facts) =>
    `it stands in a place that is taken, ${after(facts)}; of two records with one number one should not be there.`,
  gap: (facts) =>
    `${range(Number(facts.before_seq) + 1, Number(facts.seq) - 1)} should come before it, ${after(facts)}, and the record is gone.`,
  uncounted: ({ length, amount }) =>
    `the account counts ${length} operations, so it should not be there (amount ${rubles(amount)}).`,
  snapshot: (facts) => {
    const columns = [
      ['balance', facts.balance, facts.balance_due],
      ['receipts', facts.receipts, facts.receipts_due],
      ['write-offs', facts.write_offs, facts.write_offs_due],
    ] as const
    const wrong = columns
      .filter(([, is, due]) => is !== due)
      .map(([name, is, due]) => `the ${name} before it is stored as ${rubles(is)} and should be ${rubles(due)}`)
    return `${wrong.join('; ')}, which is what stands ${after(facts)}.`
  },
  amount: ({ amount, amount_due }) => `its amount is stored as ${rubles(amount)} and should be ${rubles(amount_due)}.`,
  facts: ({ hash, hash_due, amount }) =>
    `its hash is stored as ${short(hash)} and should be ${short(hash_due)}: its type, its number, its time of record or its amount (${rubles(amount)}) has been changed.`,
  strayReversal: ({ original }) =>
    `it is stored as the reversal of operation ${original}, which should be of this account and is not.`,
  reversalAmount: ({ original, amount, original_amount }) =>
    `it reverses operation ${original} of ${rubles(original_amount)} with ${rubles(amount)}, which should be the opposite.`,
  unmarked: ({ storno, original, reversal }) =>
    `it ${isOr(storno)} marked storno and should be: ${original === undefined ? `operation ${reversal} reverses it` : `it reverses operation ${original}`}.`,
  markedAlone: ({ storno }) => `it ${isOr(storno)} marked storno and should not be: nothing reverses it.`,
  endGone: ({ length, seq, before }) =>
    `it counts ${length} operations, and ${range(Number(seq) + 1, Number(length))} should be there and ${Number(length) - Number(seq) > 1 ? 'are' : 'is'} gone; the last one is ${before === undefined ? 'none' : `operation ${before} (no. ${seq})`}.`,
  head: ({ hash, hash_due }) =>
    `the head of its chain is stored as ${short(hash)} and should be ${short(hash_due)}, the hash of its last operation.`,
  balance: ({ balance, balance_due }) =>
    `its balance is stored as ${rubles(balance)} and should be ${rubles(balance_due)}, the sum of its operations.`,
  receipts: ({ receipts, receipts_due }) =>
    `its receipts are stored as ${rubles(receipts)} and should be ${rubles(receipts_due)}, the sum of its operations.`,
  writeOffs: ({ write_offs, write_offs_due }) =>
    `its write-offs are stored as ${rubles(write_offs)} and should be ${rubles(write_offs_due)}, the sum of its operations.`,
  lastOperation: ({ last, last_due }) => `its last operation is stored as ${last} and should be ${last_due}.`,
  debtSince: ({ since, since_due }) =>
    `the moment since when its balance has been below zero is stored as ${since} and should be ${since_due}.`,
  key: ({ key, target, amount, account, found }) =>
    found === undefined
      ? `the key ${key} names operation ${target}, which should be there and is not.`
      : `the key ${key} is stored with ${rubles(amount)} for operation ${target}, which is one of ${rubles(found)} of account ${account}.`,
} as const satisfies Record<string, (facts: Facts) => string>

export type FaultKind = keyof typeof troubles

/** The two values by the kind of fault. What is left out is about a record that should, or should not, be there. */
const values: Partial<Record<FaultKind, (facts: Facts) => readonly [stored: string, due: string]>> = {
  snapshot: (facts) => {
    const columns = [
      [facts.balance, facts.balance_due],
      [facts.receipts, facts.receipts_due],
      [facts.write_offs, facts.write_offs_due],
    ] as const
    const [is, due] = columns.find(([is, due]) => is !== due) ?? columns[0]
    return [rubles(is), rubles(due)]
  },
  amount: ({ amount, amount_due }) => [rubles(amount), rubles(amount_due)],
  facts: ({ hash, hash_due }) => [short(hash), short(hash_due)],
  reversalAmount: ({ amount, original_amount }) => [rubles(amount), rubles(opposite(original_amount))],
  endGone: ({ length, seq }) => [String(seq), String(length)],
  head: ({ hash, hash_due }) => [short(hash), short(hash_due)],
  balance: ({ balance, balance_due }) => [rubles(balance), rubles(balance_due)],
  receipts: ({ receipts, receipts_due }) => [rubles(receipts), rubles(receipts_due)],
  writeOffs: ({ write_offs, write_offs_due }) => [rubles(write_offs), rubles(write_offs_due)],
  lastOperation: ({ last, last_due }) => [String(last), String(last_due)],
  debtSince: ({ since, since_due }) => [String(since), String(since_due)],
}

function compared(kind: FaultKind, facts: Facts): Compared {
  const [stored, due] = values[kind]?.(facts) ?? [null, null]
  return { stored, due }
}

const opposite = (units: Facts[string]): string => {
  const text = String(units)
  return text.startsWith('-') ? text.slice(1) : `-${text}`
}
