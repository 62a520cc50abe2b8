import t from 'tap'
import { isBodySource } from '../../src/platform/http/body-stream.ts'
import { clientUser, openDoors } from './door.ts'

const doors = await openDoors(t)
const { body: subscriber } = await doors.post('/rest_api/v2/Abonents/', { name: 'Ivan', contract_number: '1' })
const { body: login } = await doors.post('/rest_api/v2/Users/', {
  abonent: subscriber.id,
  login: 'ivan',
  password: 'secret',
})
const { body: operation } = await doors.post('/rest_api/v2/FinanceOperations/', {
  account: subscriber.account,
  abonent: subscriber.id,
  op_type: 7,
  op_summa: 10_000_000_000,
})
await doors.post('/rest_api/v2/Nas/', { name: 'bras', ip: '192.0.2.1', secret: 'secret' })
await doors.post('/rest_api/v2/IpPull/', { name: 'pool', network: '10.0.0.0/24' })

/** GETs that write by the word of the specification, or because an export of personal documents is audited. */
const exempt = new Set(['/admin/logout', '/lk/payments/pay', '/admin/equipment/sorm_list/export'])

/** Every row that is written afterwards, but for the work of the program itself. */
const watch = `
  CREATE TABLE written (place text, row jsonb);
  CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN INSERT INTO written VALUES (TG_TABLE_NAME, to_jsonb(NEW)); RETURN NULL; END $$;
  DO $$ DECLARE place text; BEGIN
    FOR place IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename NOT IN ('written', 'job_runs', 'outbox') LOOP
      EXECUTE format('CREATE TRIGGER note AFTER INSERT OR UPDATE OR DELETE ON %I FOR EACH ROW EXECUTE FUNCTION note()', place);
    END LOOP;
  END $$`

const params: Readonly<Record<string, string>> = {
  id: '1',
  abonent_id: String(subscriber.id),
  op_id: String(operation.op_id),
  item_id: String(operation.op_id),
  filename: `bill-1-${new Date().toISOString().slice(0, 7)}.pdf`,
  name: 'process_blocks',
  ip: '192.0.2.1',
}
const query = `user_id=${login.id}&cmd=GetMac&q=1&format=csv`

t.test('a GET writes nothing, whoever asks', async (t) => {
  await doors.rows(watch)
  const asked = doors.parts.routes.filter(({ method, path }) => method === 'GET' && !exempt.has(path))
  for (const route of asked) {
    const path = route.path.replace(/[:*](\w+)/g, (_, name: string) => params[name] ?? '1')
    for (const address of [path, `${path}?${query}`]) {
      const call = callOf(address)
      const reply = await Promise.resolve()
        .then(() => route.handler(call))
        // Handlers that are called past the gate may lack what it gives them; what matters is what they write.
        .catch(() => null)
      if (reply?.body && isBodySource(reply.body)) for await (const _ of reply.body);
    }
    t.same(await doors.rows('DELETE FROM written RETURNING *'), [], route.path)
  }
  t.ok(asked.length > 100)
})

function callOf(address: string) {
  const [path = '', queryText = ''] = address.split('?')
  return {
    ...{ id: 'test', startedMs: performance.now(), method: 'GET', path, queryText },
    ...{ query: new URLSearchParams(queryText), params },
    header: () => '',
    ...{ address: '127.0.0.1', secure: true, body: Buffer.alloc(0) },
    staff: { ...doors.staff, organizations: null },
    client: clientUser(subscriber.id),
  }
}
