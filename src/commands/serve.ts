import { defineCommand } from './command.ts'
import { serveUntilStopped } from './lifetime.ts'

export default defineCommand({
  about:
    'Runs Tollgate: RADIUS, HTTP, jobs and, without DATABASE_URL, its own PostgreSQL. Set up by environment variables; see README.',
  options: {},
  async run(_, { config, log }) {
    const { startProgram } = await import('../program.ts')
    return await serveUntilStopped(config, log, startProgram)
  },
})
