import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Test } from 'tap'
import { freeUdpPort } from '../../support/free-port.ts'
import { schemaFolder } from './database.ts'

const configuration = (folder: string, port: number, secret: string) => `
libdir = /usr/lib/freeradius
logdir = ${folder}
run_dir = ${folder}
db_dir = ${folder}
modconfdir = /etc/freeradius/3.0/mods-config
radacctdir = ${folder}/radacct
security {
  allow_core_dumps = no
  reject_delay = 0
}
client loopback {
  ipaddr = 127.0.0.0/8
  secret = ${secret}
}
thread pool {
  start_servers = 1
  min_spare_servers = 1
  max_spare_servers = 1
  max_servers = 1
}
modules {
  $INCLUDE /etc/freeradius/3.0/mods-available/detail.log
  expr {
  }
  pap {
    normalise = yes
  }
  chap {
  }
  mschap {
    use_mppe = no
  }
  sql {
    dialect = "sqlite"
    driver = "rlm_sql_sqlite"
    sqlite {
      filename = "${folder}/radius.db"
      bootstrap = "${schemaFolder}/sqlite/schema.sql"
      bootstrap = "${folder}/rows.sql"
    }
    radius_db = "radius"
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
    pool {
      start = 1
      min = 1
      max = 1
      spare = 0
    }
    $INCLUDE \${modconfdir}/sql/main/sqlite/queries.conf
  }
}
server default {
  listen {
    type = auth
    ipaddr = 127.0.0.1
    port = ${port}
  }
  authorize {
    auth_log
    chap
    mschap
    sql
    pap
  }
  authenticate {
    Auth-Type PAP {
      pap
    }
    Auth-Type CHAP {
      chap
    }
    Auth-Type MS-CHAP {
      mschap
    }
  }
  post-auth {
    reply_log
    Post-Auth-Type REJECT {
      reply_log
    }
  }
}
`

/** Where it answers, and the folder of its detail files, as Debian configures them. */
export type Freeradius = { readonly port: number; readonly radacct: string }

/** FreeRADIUS on its own schema in SQLite, filled with `rows`. Resolves when it serves. */
export async function startFreeradius(t: Test, rows: string, secret: string): Promise<Freeradius> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-freeradius-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const port = await freeUdpPort()
  for (const name of ['raddb', 'radacct/127.0.0.1']) mkdirSync(join(folder, name), { recursive: true })
  // FreeRADIUS 3.2.1 opens its detail files and does not make them. The day may end meanwhile.
  for (const day of [new Date(), new Date(Date.now() + 86_400_000)])
    for (const kind of ['auth', 'reply'])
      writeFileSync(join(folder, 'radacct/127.0.0.1', `${kind}-detail-${dateOf(day)}`), '')
  writeFileSync(join(folder, 'raddb', 'radiusd.conf'), configuration(folder, port, secret))
  writeFileSync(join(folder, 'raddb', 'dictionary'), '')
  writeFileSync(join(folder, 'rows.sql'), rows)
  const server: ChildProcess = spawn('/usr/sbin/freeradius', ['-fxx', '-l', 'stdout', '-d', join(folder, 'raddb')])
  t.teardown(async () => {
    if (server.exitCode !== null) return
    server.kill()
    await once(server, 'close')
  })
  const said: string[] = []
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: server.stdout! }).on('line', (line) => {
      said.push(line)
      if (line.includes('Ready to process requests')) resolve()
    })
    server.on('close', () => reject(new Error(said.slice(-30).join('\n'))))
  })
  return { port, radacct: join(folder, 'radacct') }
}

/** %Y%m%d in the time zone of the machine. */
const dateOf = (day: Date): string =>
  [day.getFullYear(), day.getMonth() + 1, day.getDate()].map((part) => String(part).padStart(2, '0')).join('')
