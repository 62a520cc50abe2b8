import { defineCommand } from '../app/commands/command.ts'

export default defineCommand({
  about:
    'Runs Tollgate as a demo provider: tariffs, subscribers with history, and a simulated NAS. Prints address and sign-in.',
  options: {},
  async run(_, context) {
    const { runDemo } = await import('./demo.ts')
    return await runDemo(context)
  },
})
