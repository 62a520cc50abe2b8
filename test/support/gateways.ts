import { type GatewayProgram, startGatewayProgram } from '../../src/demo/gateways/program.ts'

export { freeTcpPort } from './free-port.ts'

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
