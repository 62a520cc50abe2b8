import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'

type Teardown = { teardown(deed: () => unknown): unknown }

/** A simulated gateway as a program of its own; answers where it listens. */
export async function startGateway(
  t: Teardown,
  gateway: 'a' | 'b',
  options: Readonly<Record<string, string>>,
): Promise<{ form: string; api: string }> {
  const args = Object.entries(options).flatMap(([name, value]) => (value === '' ? [`--${name}`] : [`--${name}`, value]))
  const child = spawn(process.execPath, ['src/demo/gateways/main.ts', '--attached', '--gateway', gateway, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: '' },
  })
  t.teardown(async () => {
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
  })
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return JSON.parse(line)
}

/** A port that was free a moment ago: for a program that has to come back where it was. */
export async function freeTcpPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
