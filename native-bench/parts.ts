import { measureBackup } from './backup.ts'
import { measureCharges } from './charges.ts'
import { measureCodec } from './codec.ts'
import { measureConsole } from './console.ts'
import { measureCredits } from './credits.ts'
import type { Figure } from './figures.ts'
import { measureGate } from './gate.ts'
import { measureHttp } from './http.ts'
import { measureImport } from './import.ts'
import { measureLists } from './lists.ts'
import { measureMassBlock } from './mass-block.ts'
import { measureNodes } from './nodes.ts'
import { measurePaymentRates } from './payment-rates.ts'
import { measurePhones } from './phones.ts'
import { measureAccounting } from './radius/accounting.ts'
import { measureRadius } from './radius/auth.ts'
import { measureCurves, measureMillion } from './radius/curves.ts'
import { measureReports } from './reports.ts'
import { measureSearch } from './search.ts'
import { measureTraffic } from './radius/traffic.ts'
import { measureStart } from './start.ts'

/** `short`: a look of seconds in place of a measurement. */
export type PartOptions = { short: boolean }

export type Part = {
  what: string
  /** Takes so long that it runs only when it is named, or all parts are asked for. */
  isAsked?: boolean
  measure(options: PartOptions): Promise<Figure[]>
}

/** What `npm run bench` measures, in this order. */
export const parts: Record<string, Part> = {
  codec: { what: 'a request taken apart and answered', measure: async () => measureCodec() },
  radius: {
    what: 'sign-ins by PAP, CHAP and MS-CHAPv2 beside FreeRADIUS',
    measure: ({ short }) => measureRadius(short ? { rounds: 1, seconds: 1 } : { rounds: 3, seconds: 2 }),
  },
  accounting: {
    what: 'accounting, durable, beside FreeRADIUS with rlm_sql',
    measure: ({ short }) => measureAccounting(short ? { rounds: 1, seconds: 2 } : { rounds: 3, seconds: 3 }),
  },
  traffic: {
    what: 'what the series of traffic costs a record of accounting',
    measure: ({ short }) => measureTraffic(short ? { sessions: 3_200, rounds: 3 } : { sessions: 64_000, rounds: 9 }),
  },
  million: {
    what: 'sign-ins among 1,000,000 subscribers beside 10,000',
    measure: ({ short }) => measureMillion(short ? { rounds: 1, seconds: 1 } : { rounds: 3, seconds: 2 }),
  },
  curves: {
    what: 'how RADIUS grows with subscribers, NAS, workers and requests in flight',
    isAsked: true,
    measure: ({ short }) =>
      measureCurves({ ...(short ? { rounds: 1, seconds: 1 } : { rounds: 3, seconds: 2 }), isShort: short }),
  },
  start: {
    what: 'start and memory with a million subscribers',
    measure: ({ short }) =>
      measureStart(short ? { subscribers: 50_000, sessions: 5_000 } : { subscribers: 1_000_000, sessions: 100_000 }),
  },
  block: {
    what: 'sign-ins while 10,000 subscribers are blocked at once',
    measure: ({ short }) =>
      measureMassBlock(short ? { blocked: 1_000, quietSeconds: 2 } : { blocked: 10_000, quietSeconds: 6 }),
  },
  credits: { what: 'credits through the actors', measure: () => measureCredits() },
  charges: {
    what: 'the tariff day of 100,000 subscribers',
    measure: ({ short }) =>
      measureCharges({
        debtors: 0.1,
        ...(short ? { subscribers: 5_000, quietMs: 2_000 } : { subscribers: 100_000, quietMs: 10_000 }),
      }),
  },
  phones: { what: 'live sockets of ten thousand phones and a thousand operators', measure: () => measurePhones() },
  http: {
    what: 'GET of one subscriber beside bare servers',
    measure: ({ short }) => measureHttp(short ? { rounds: 1, seconds: 2 } : { rounds: 3, seconds: 2 }),
  },
  console: {
    what: 'the first screen of the console and a change of screens, in Chromium beside a bare page',
    measure: ({ short }) => measureConsole({ rounds: short ? 1 : 9 }),
  },
  import: {
    what: 'a file of a million subscribers imported',
    isAsked: true,
    measure: ({ short }) => measureImport({ lines: short ? 20_000 : 1_000_000 }),
  },
  backup: {
    what: 'a million subscribers and ten million operations backed up and restored',
    isAsked: true,
    measure: ({ short }) =>
      measureBackup(
        short ? { subscribers: 2_000, operations: 20_000 } : { subscribers: 1_000_000, operations: 10_000_000 },
      ),
  },
  lists: {
    what: 'every list with each of its sorts and filters, over a million rows',
    isAsked: true,
    measure: ({ short }) => measureLists(short ? { rows: 20_000, runs: 3 } : { rows: 1_000_000, runs: 1 }),
  },
  search: {
    what: 'the search box over a million subscribers, by kind of question',
    isAsked: true,
    measure: ({ short }) => measureSearch(short ? { rows: 20_000, asked: 10 } : { rows: 1_000_000, asked: 300 }),
  },
  reports: {
    what: 'reports over ten million operations: the sums, their proof, and every report',
    isAsked: true,
    measure: ({ short }) =>
      measureReports(short ? { operations: 50_000, asked: 3 } : { operations: 10_000_000, asked: 20 }),
  },
  payments: {
    what: 'from a payment to the Access-Accept, and from a block to the Disconnect-Request, at 200, 500 and 1,000 payments a second',
    measure: ({ short }) => measurePaymentRates({ seconds: short ? 2 : 6 }),
  },
  nodes: {
    what: 'several programs on one database: how soon they follow, what they cost, and one that is killed',
    isAsked: true,
    measure: measureNodes,
  },
  gate: { what: 'from a block to the Disconnect-Request and the live frame', measure: () => measureGate() },
}
