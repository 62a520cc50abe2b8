import type { RestParts } from '../src/interfaces/rest/parts.ts'
import { restV2Routes } from '../src/interfaces/rest/routes.ts'
import type { Call } from '../src/platform/http/call.ts'
import { compileRoutes } from '../src/platform/http/routes.ts'
import { silentLog } from '../src/platform/log.ts'
import { openDatabase } from '../src/platform/storage/database.ts'
import { Unavailable } from '../src/platform/unavailable.ts'

export type ListAnswer = { status: number; count: number; rows: number }

/** The lists of REST v2 without a socket in between, and what PostgreSQL was asked for each. */
export type ListDoor = {
  get(address: string): Promise<ListAnswer>
  /** EXPLAIN ANALYZE of every statement that reads rows for this list. */
  plans(address: string): Promise<string[]>
  close(): Promise<void>
}

type Asked = { text: string; values: unknown[] }

export async function openListDoor(url: string): Promise<ListDoor> {
  const database = await openDatabase({ url, log: silentLog })
  const asked: Asked[] = []
  const refusedWrites = () => {
    throw new Error('lists do not write')
  }
  const parts: RestParts = {
    database: { pool: watched(database.pool, asked), manager: refusedWrites },
    accounts: {
      ask: refusedWrites,
      invalidate: refusedWrites,
      moveSubscriber: refusedWrites,
    } as unknown as RestParts['accounts'],
    secrets: { seal: refusedWrites },
    changed: refusedWrites,
    publicUrl: () => 'http://127.0.0.1:8080',
    timeZone: () => 'Europe/Moscow',
    log: silentLog,
  }
  const router = compileRoutes(restV2Routes(parts))
  const get = async (address: string) => {
    const [path = '', queryText = ''] = `/rest_api/v2/${address}`.split(/\?(.*)/s)
    const found = router.find(path)
    if (typeof found === 'string') throw new Error(`${path}: ${found}`)
    const call = callOf(found.path, queryText, found.params)
    const reply = await Promise.resolve(found.methods.get('GET')!.handler(call)).catch((error: unknown) => {
      if (error instanceof Unavailable) return { status: 503, body: '{}' }
      throw error
    })
    const body = JSON.parse(String(reply.body)) as { count?: number; results?: unknown[] }
    return { status: reply.status, count: body.count ?? 0, rows: body.results?.length ?? 0 }
  }
  return {
    get,
    plans: async (address) => {
      asked.length = 0
      await get(address)
      const plans: string[] = []
      for (const { text, values } of [...asked]) {
        if (!text.includes('SELECT') || text.startsWith('EXPLAIN')) continue
        const { rows } = await database.pool.query(`EXPLAIN (ANALYZE, BUFFERS, COSTS OFF) ${text}`, values)
        plans.push(text.replace(/\s+/g, ' ').slice(0, 200), ...rows.map((row) => `    ${row['QUERY PLAN']}`))
      }
      return plans
    },
    close: () => database.close(),
  }
}

function callOf(path: string, queryText: string, params: Readonly<Record<string, string>>): Call {
  return {
    id: 'bench',
    method: 'GET',
    path,
    queryText,
    query: new URLSearchParams(queryText),
    header: () => '',
    address: '127.0.0.1',
    secure: true,
    body: Buffer.alloc(0),
    params,
    staff: null,
    client: null,
  }
}

/** The same pool, remembering what was asked. */
function watched(pool: RestParts['database']['pool'], asked: Asked[]): RestParts['database']['pool'] {
  const connect = async () => {
    const client = await pool.connect()
    return new Proxy(client, {
      get(target, name) {
        if (name === 'query') {
          return (text: string, values: unknown[] = []) => {
            asked.push({ text, values })
            return target.query(text, values)
          }
        }
        const member = Reflect.get(target, name)
        return typeof member === 'function' ? member.bind(target) : member
      },
    })
  }
  return { connect } as unknown as RestParts['database']['pool']
}
