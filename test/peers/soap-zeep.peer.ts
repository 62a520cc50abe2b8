// needs /usr/lib/python3/dist-packages/zeep from python3-zeep
import t from 'tap'
import { expected, newPayer, runProgram, startTollgate } from './soap/programs.ts'

t.test('a program on zeep signs in, checks, pays, imports, and sees every fault', async (t) => {
  const program = await startTollgate(t)
  const { balance, said } = await newPayer(program, '000042')
  const told = await runProgram('/usr/bin/python3', 'client.py', [program.address.http, ...said])
  t.match(told, expected('000042'))
  t.equal(told.repeat!.result, told.pay!.result)
  t.equal(await balance(), 1_100_000_000_000)
})
