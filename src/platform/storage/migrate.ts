import type { Log } from '../log.ts'
import { withAdvisoryLock } from './advisory-locks.ts'
import { openOrm } from './orm.ts'

/** Applies what is missing, all of it or nothing, and answers its names. Programs that start together take turns. */
export async function migrate({ url, log }: { url: string; log: Log }): Promise<string[]> {
  return withAdvisoryLock(url, 'migrations', async () => {
    const orm = await openOrm(url, { max: 1 })
    try {
      const applied = (await orm.migrator.up()).map(({ name }) => name)
      if (applied.length > 0) log.info('database migrated', { applied })
      return applied
    } finally {
      await orm.close(true)
    }
  })
}
