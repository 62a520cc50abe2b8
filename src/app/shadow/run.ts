import { AccessWriter } from '../../network/access/writer.ts'
import { systemClock } from '../../platform/actors/clock.ts'
import { Destinations } from '../../platform/outgoing/destinations.ts'
import { CryptVerifier } from '../../platform/passwords/crypt-verifier.ts'
import type { Secrets } from '../../platform/secrets/secrets.ts'
import { loadSettings } from '../../platform/settings/settings.ts'
import { openDatabase } from '../../platform/storage/database.ts'
import type { CommandContext } from '../commands/command.ts'
import { readOwnDictionaries } from '../radius-rules.ts'
import { Stops } from '../stops.ts'
import { compare, type Difference } from './comparison.ts'
import type { Exchange } from './exchange.ts'
import { Judge, type Judgement } from './judge.ts'
import type { Tally } from './tally.ts'

/** One connection reads the tables, and one follows their changes. */
const connections = { general: 2, ledger: 1 } as const

type Run = {
  readonly exchanges: AsyncIterable<Exchange>
  readonly tally: Tally
  /** Called with each difference; the next one waits for it. */
  readonly onDifference: (exchange: Exchange, judgement: Judgement, difference: Difference) => Promise<void> | void
  readonly onRequest: () => void
}

/**
 * Compares what another server said with what Tollgate would say now by the tables of the database, which may be served
 * meanwhile and whose changes count at once. Nothing is written.
 */
export async function runShadow(
  { config, log }: Pick<CommandContext, 'config' | 'log'>,
  { url, secrets }: { readonly url: string; readonly secrets: Secrets },
  { exchanges, tally, onDifference, onRequest }: Run,
): Promise<void> {
  const stops = new Stops()
  try {
    readOwnDictionaries(config)
    const database = await openDatabase({ url, log, pool: connections })
    stops.add(() => database.close())
    const destinations = new Destinations(config.privateAddresses)
    const settings = await loadSettings({ database, secrets, log, destinations })
    stops.add(() => settings.stop())
    const access = await AccessWriter.load({ database, secrets, log })
    stops.add(() => access.close())
    const cryptVerifier = new CryptVerifier()
    stops.add(() => cryptVerifier.stop())
    const judge = new Judge({ access, secrets, settings, cryptVerifier, clock: systemClock })
    stops.add(() => judge.close())
    const poolOf = (address: number) => judge.poolOf(address)
    for await (const exchange of exchanges) {
      const judgement = await judge.judge(exchange)
      const comparison = compare(exchange, judgement, poolOf)
      tally.add(exchange, judgement, comparison)
      onRequest()
      if ('differences' in comparison)
        for (const difference of comparison.differences) await onDifference(exchange, judgement, difference)
    }
  } finally {
    await stops.stop()
  }
}
