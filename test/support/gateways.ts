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

/** A port that was free a moment ago: for a program that has to come back where it was. */
export async function freeTcpPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
