import { existsSync, readFileSync, rmSync } from 'node:fs'
import pg from 'pg'
import { silentLog } from '../../src/platform/log.ts'
import { startPostgres } from '../../src/platform/postgres/server.ts'
import { newDataDir } from '../../test/support/data-folder.ts'
import { needPackages } from '../packages.ts'
import type { Accounting } from './freeradius.ts'
import { postmasterPid } from './tollgate.ts'

const stock = '/etc/freeradius/3.0'
const stockSql = `${stock}/mods-config/sql/main/postgresql`

export type RadiusDatabase = {
  readonly accounting: Accounting
  readonly pid: number
  readonly client: pg.Client
  stop(): Promise<void>
}

/**
 * A PostgreSQL like ours (the same binaries and settings, with fsync) with the tables Debian's freeradius-postgresql
 * brings, and the configuration of rlm_sql for it: Debian's own queries, policy and pool.
 */
export async function startRadiusDatabase(): Promise<RadiusDatabase> {
  needPackages('/usr/lib/freeradius/rlm_sql_postgresql.so', 'freeradius freeradius-postgresql')
  const dataDir = newDataDir()
  const server = await startPostgres({ dataDir, log: silentLog })
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  await client.query(readFileSync(`${stockSql}/schema.sql`, 'utf8'))
  const stop = async () => {
    await client.end()
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
  return { accounting: accountingOf(new URL(server.url)), pid: postmasterPid(dataDir), client, stop }
}

/** What FreeRADIUS needs to acknowledge without storing anything. */
export const unstored: Accounting = {
  modules: 'always ok {\n    rcode = ok\n  }',
  instantiate: '',
  policy: '',
  preacct: '',
  store: 'ok',
  files: {},
}

function accountingOf(url: URL): Accounting {
  return {
    instantiate: 'expr',
    preacct: 'acct_unique',
    store: 'sql',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: FreeRADIUS puts the folder in.
    policy: '$INCLUDE ${raddbdir}/policy',
    files: { policy: ownCopy(`${stock}/policy.d/accounting`), queries: ownCopy(`${stockSql}/queries.conf`) },
    modules: `
  expr {
  }
  sql {
    driver = "rlm_sql_postgresql"
    dialect = "postgresql"
    server = "${url.hostname}"
    port = ${url.port}
    login = "${decodeURIComponent(url.username)}"
    password = "${decodeURIComponent(url.password)}"
    radius_db = "${url.pathname.slice(1)}"
    acct_table1 = "radacct"
    acct_table2 = "radacct"
    postauth_table = "radpostauth"
    authcheck_table = "radcheck"
    groupcheck_table = "radgroupcheck"
    authreply_table = "radreply"
    groupreply_table = "radgroupreply"
    usergroup_table = "radusergroup"
    client_table = "nas"
    group_attribute = "SQL-Group"
    read_clients = no
    delete_stale_sessions = yes
    pool {
      start = \${thread[pool].start_servers}
      min = \${thread[pool].min_spare_servers}
      max = \${thread[pool].max_servers}
      spare = \${thread[pool].max_spare_servers}
      uses = 0
      retry_delay = 30
      lifetime = 0
      idle_timeout = 60
    }
    $INCLUDE \${raddbdir}/queries
  }`,
  }
}

/** Debian's folder is closed to the ordinary user FreeRADIUS runs as here. */
function ownCopy(path: string): string {
  if (!existsSync(path))
    throw new Error(`${path} is not there, or not readable: run as root or as a member of freerad.`)
  return readFileSync(path, 'utf8')
}
