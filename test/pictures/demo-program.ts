import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Browser } from 'playwright-core'
import { newDataDir } from '../support/data-folder.ts'

export type DemoProgram = { readonly http: string; stop(): Promise<void> }

/** That of the one who signs in. */
const password = process.env.TOLLGATE_ADMIN_PASSWORD ?? 'a password of the pictures'

/** `npm run demo` on free ports, in a data folder that goes with it. Resolves when it is ready. */
export async function startDemo(): Promise<DemoProgram> {
  const dataDir = newDataDir()
  const child = spawn(process.execPath, ['src/main.ts', 'demo'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      TOLLGATE_DATA_DIR: dataDir,
      TOLLGATE_HTTP_PORT: '0',
      TOLLGATE_RADIUS_HOST: '127.0.0.1',
      TOLLGATE_RADIUS_AUTH_PORT: '0',
      TOLLGATE_RADIUS_ACCT_PORT: '0',
      TOLLGATE_METRICS_PORT: '0',
      TOLLGATE_ADMIN_PASSWORD: password,
    },
  })
  process.once('exit', () => child.kill('SIGTERM'))
  const said: string[] = []
  const ended = once(child, 'exit')
  const ready = new Promise<string>((resolve) => {
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on('line', (line) => {
        said.push(line)
        const http = /"message":"ready","http":"([^"]+)"/.exec(line)?.[1]
        if (http) resolve(http)
      })
  })
  const http = await Promise.race([ready, ended.then(() => null)])
  if (http === null) throw new Error(`The demo did not start.\n${said.slice(-20).join('\n')}`)
  return {
    http,
    stop: async () => {
      child.kill('SIGTERM')
      await ended
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** Signs the administrator in; the key of the session. */
export async function signIn(browser: Browser, http: string): Promise<string> {
  const context = await browser.newContext()
  const params = { api: '1', username: 'admin', password, format: 'json' }
  const answer = (await (await context.request.get(`${http}/admin/`, { params })).json()) as { hash?: string }
  await context.close()
  if (!answer.hash) throw new Error(`The demo let nobody in: ${JSON.stringify(answer)}`)
  return answer.hash
}
