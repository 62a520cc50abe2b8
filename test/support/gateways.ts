import { once } from 'node:events'
import { createServer } from 'node:net'
import { type GatewayProgram, startGatewayProgram } from '../../src/demo/gateways/program.ts'

type Teardown = { teardown(deed: () => unknown): unknown }

/** A simulated gateway as a program of its own, gone when the test is through. */
export async function startGateway(
  t: Teardown,
  gateway: 'a' | 'b',
  options: Readonly<Record<string, string>>,
): Promise<GatewayProgram> {
  const program = await startGatewayProgram(gateway, options)
  t.teardown(() => program.stop())
  return program
}

/**
 * A port that is free, for a server that comes back to it: below those the system gives to whoever asks for any (32768 and up), so
 * that no other test has it meanwhile.
 */
export async function freeTcpPort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
}
