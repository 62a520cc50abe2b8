import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { blockedEvery, secret } from './subscribers.ts'
import type { Server } from './tollgate.ts'
import { toolPath } from './tools.ts'

/** The bare C loop (radius-load/floor.c). */
export async function startFloor(): Promise<Server> {
  const child = spawn(toolPath('radius-floor'), [secret, String(blockedEvery)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const stop = async () => {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  return { authPort: Number(line), acctPort: 0, pids: [child.pid!], stop }
}
