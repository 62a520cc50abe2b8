import { variableRows } from '../config.ts'
import { loadLateModules } from '../late-modules.ts'
import type { ProgramOrder } from '../program.ts'
import { ServiceManager, takeSupervision } from '../service-manager.ts'
import { defineCommand, table } from './command.ts'
import { serveUntilStopped } from './lifetime.ts'

export default defineCommand({
  about:
    'Runs Tollgate: RADIUS, HTTP, jobs and, without DATABASE_URL, its own PostgreSQL; as an edge RADIUS alone. Set up by environment variables.',
  details: [
    'Environment:',
    ...table([...variableRows(), ['TOLLGATE_SETTING_<NAME>', 'the first value of the business setting of this name']]),
  ].join('\n'),
  options: {},
  async run(_, { config, log }) {
    const supervision = takeSupervision(process.env)
    const startWhole = supervision === null ? startProgram : startInstalled
    const start = config.role === 'edge' ? (await import('../edge.ts')).startEdge : startWhole
    return await serveUntilStopped(config, log, start, new ServiceManager(supervision, log))
  },
})

const startProgram = async (order: ProgramOrder) => (await import('../program.ts')).startProgram(order)

/** Under a service manager the files are of a package, and an update may replace them while the program runs. */
async function startInstalled(order: ProgramOrder) {
  const program = await startProgram(order)
  void loadLateModules(order.log)
  return program
}
