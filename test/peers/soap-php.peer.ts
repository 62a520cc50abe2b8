// needs php from php-cli
// needs /usr/share/doc/php-soap from php-soap
import t from 'tap'
import { expected, newPayer, runProgram, startTollgate } from './soap/programs.ts'

const contracts = { wsdl: '000042', named: '00043', positional: '044' }

t.test('SoapClient of PHP, with a WSDL and without', async (t) => {
  const program = await startTollgate(t)
  for (const [mode, contract] of Object.entries(contracts))
    await t.test(`${mode}: it signs in, checks, pays, imports, and shows every fault`, async (t) => {
      const { balance, said } = await newPayer(program, contract)
      const told = await runProgram('php', 'client.php', [mode, program.address.http, ...said])
      t.match(told, expected(contract))
      t.equal(told.repeat!.result, told.pay!.result)
      t.equal(await balance(), 1_100_000_000_000)
    })
  const { body } = await program.rest('GET', '/rest_api/v2/FinanceOperations/')
  t.equal(JSON.stringify(body).split('касса <1> & «2»').length - 1, 3, 'texts are whole')
})
