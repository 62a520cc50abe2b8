// needs eapol_test from eapoltest
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { emptyFolder, Process } from '../app/processes.ts'
import { openProgram } from '../support/opened-program.ts'
import { ruble } from '../support/provider.ts'

const secret = 'testing123'

t.test("a client of EAP is refused by EAP-Failure, which wpa_supplicant's own tester accepts", async (t) => {
  const program = await openProgram(t)
  await program.create('Nas', { name: 'switch', ip: '127.0.0.1', secret })
  const tariff = await program.create('Tarif', { name: 'Home 100', price: 600 * ruble })
  const abonent = await program.create('Abonents', { name: 'Ivan', contract_number: '1', tarif: tariff.id })
  await program.create('Users', { abonent: abonent.id, login: 'ivan', password: 'word' })
  const client = join(emptyFolder(t), 'client.conf')
  writeFileSync(client, 'network={\n key_mgmt=WPA-EAP\n eap=MD5\n identity="ivan"\n password="word"\n}\n')
  // Its own limit is as long as the test's, so that only an answer ends it.
  const server = ['-a', '127.0.0.1', '-p', String(program.address.authPort), '-s', secret, '-t', '600']
  const tester = new Process(t, ['-c', client, ...server], {}, 'eapol_test')
  await tester.line(/^EAPOL: Received EAP-Packet|EAP: Received EAP-Failure/)
  await tester.ended
  t.match(tester.text, /RADIUS packet matching with station/, 'the signatures of the answer are right')
  t.match(tester.text, /EAP: Received EAP-Failure/)
  t.match(tester.text, /^FAILURE$/m)
  t.notMatch(tester.text, /timed out/)
})
