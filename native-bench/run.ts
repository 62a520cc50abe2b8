import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { silentLog } from '../src/log.ts'
import { startTemporaryPostgres } from '../src/storage/postgres-server.ts'
import { measureCodec } from './codec.ts'
import { measureCredits } from './credits.ts'
import type { Figure } from './figures.ts'
import { table } from './figures.ts'
import { measureGate } from './gate.ts'

/** `npm run bench`: everything beside its peer in one run; prints one table and keeps it as JSON in native-bench/out. */
const figures: Figure[] = []
figures.push(...measureCodec())
const server = await startTemporaryPostgres(silentLog)
try {
  figures.push(...(await measureCredits(server.url)))
} finally {
  await server.stop()
}
figures.push(...(await measureGate()))

const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
process.stdout.write(
  `${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}, ${commit}\n\n${table(figures)}\n`,
)
mkdirSync('native-bench/out', { recursive: true })
writeFileSync(`native-bench/out/${commit}.json`, JSON.stringify({ commit, cpu: cpus()[0]?.model, figures }, null, 2))
process.exit(0)
