import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { siblingModule } from '../../platform/sibling-module.ts'

export type GatewayProgram = {
  /** For LK_GWA_FORM_URL or LK_GWB_FORM_URL. */
  readonly form: string
  /** For LK_GWA_API_URL; gateway B has none. */
  readonly api: string | null
  stop(): Promise<void>
}

const main = siblingModule(import.meta.url, 'main').pathname

/**
 * A simulated gateway as a program of its own. Options are those of main.ts; an empty value makes a switch. The program
 * ends with this process.
 */
export async function startGatewayProgram(
  gateway: 'a' | 'b',
  options: Readonly<Record<string, string>>,
): Promise<GatewayProgram> {
  const args = Object.entries(options).flatMap(([name, value]) => (value === '' ? [`--${name}`] : [`--${name}`, value]))
  const child = spawn(process.execPath, [main, '--attached', '--gateway', gateway, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: '' },
  })
  const ended = once(child, 'exit')
  const said = once(createInterface({ input: child.stdout }), 'line')
  const line = await Promise.race([said.then(([text]) => String(text)), ended.then(() => null)])
  if (line === null) throw new Error(`The simulated gateway ${gateway} did not start.`)
  const { form, api = null } = JSON.parse(line) as { form: string; api?: string }
  return {
    form,
    api,
    stop: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}
