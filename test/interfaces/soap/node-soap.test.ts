import t from 'tap'
import { askWithNode } from '../../peers/soap/node-client.ts'
import { expected, newPayer, startTollgate } from '../../peers/soap/programs.ts'
import { fetch } from '../../support/published.ts'
import { envelope, fiscalNamespace } from './fixture.ts'

t.test('the npm package soap signs in, checks, pays, imports, and shows every fault', async (t) => {
  const program = await startTollgate(t)
  const { balance, said } = await newPayer(program, '000042')
  const told = await askWithNode(program.address.http, said)
  t.match(told, expected('000042'))
  t.equal(told.repeat!.result, told.pay!.result)
  t.equal(await balance(), 1_100_000_000_000)

  const key = told.hash!.result!
  await program.stop()
  await program.start()
  const parameters = { hash_key: key, ACT: 'CHECK', CONTRACT_NUMBER: '42', PAY_OPERATOR: 'node' }
  const response = await fetch(`${program.address.http}/api/fiscal`, {
    method: 'POST',
    headers: { 'Content-Type': 'text/xml' },
    body: envelope('pay_usr_act2', fiscalNamespace, parameters),
  })
  t.match(await response.text(), /Result>OK;000042;Сидоров И\*\*\*;110\.00</, 'the session outlives a restart')
})
