import t from 'tap'
import { isAlive } from '../../src/platform/postgres/process-lock.ts'
import { postmasterPid } from '../app/processes.ts'
import { migratedDataDir } from '../support/data-folder.ts'
import { signalIfThere, signalServer } from '../support/own-server.ts'
import { RunningProgram } from '../support/program.ts'
import { linePassword, ruble, signUp, simulateNas } from '../support/provider.ts'
import { until } from '../support/until.ts'

t.test(
  'with its own PostgreSQL frozen the program ends well within 10 s, and loses nothing it has acknowledged',
  async (t) => {
    const program = await new RunningProgram({}, migratedDataDir()).start()
    const nas = await simulateNas(program, '127.0.0.37', () => {})
    const [client] = await signUp(program, 1)
    const posted = (await pay(program, client!.account)).body.op_id
    t.match(await nas.signIn(client!.login, linePassword, 'station'), { kind: 'accepted' })
    const [session] = nas.sessions

    const frozen = signalServer(postmasterPid(program.dataDir), 'SIGSTOP')
    t.teardown(async () => {
      for (const one of frozen) signalIfThere(one, 'SIGCONT')
      await program.stop()
      await nas.stop()
      program.remove()
    })

    // Money and accounting are under way, and no answer comes from the database.
    const unanswered = pay(program, client!.account).catch(() => ({ status: 503 }))
    void nas.account('stop', session!).catch(() => {})
    t.equal(await program.stop(), 0)
    // By its own clock: how long it takes on a busy machine says nothing of the program. Its own part, of which an error
    // would tell when it took longer, has six seconds; the database has what is left of the ten.
    const told = program.log.map(({ message }) => /^PostgreSQL has not stopped within (\d+) ms/.exec(message)?.[1])
    const givenMs = Number(told.find(Boolean))
    t.ok(givenMs > 0 && givenMs < 9_500 - 1_500, `the database had ${givenMs} ms before it was stopped by force`)
    t.equal((await unanswered).status, 503)
    t.notOk(program.log.some(({ level }) => level === 'error'))
    // What was killed may take a moment to be gone.
    await until(() => !frozen.some(isAlive))
    t.pass('nothing of the server is left')

    await program.start()
    const list = await program.rest('GET', `/rest_api/v2/FinanceOperations/?account=${client!.account}`)
    t.ok(list.body.results.some(({ op_id }: { op_id: number }) => op_id === posted))
  },
)

const pay = (program: RunningProgram, account: number) =>
  program.rest('POST', '/rest_api/v2/FinanceOperations/', { account, op_type: 7, op_summa: ruble })
