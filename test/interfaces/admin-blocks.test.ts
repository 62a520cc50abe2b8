import t from 'tap'
import { SharedDatabase } from '../support/database.ts'
import { newSubscriber, openDoors } from './door.ts'

const shared = await SharedDatabase.open(t)

t.test('the web API blocks, unblocks, disconnects and restores', async (t) => {
  const doors = await openDoors(t, shared)
  const { abonent } = await newSubscriber(doors)
  const { id } = abonent
  const record = async () => (await doors.get(`/rest_api/v2/Abonents/${id}/`)).body
  const form = {
    'content-type': 'application/x-www-form-urlencoded',
    referer: 'https://billing.example/admin/abonents/?q=1',
  }

  const blocked = await doors.call('POST', `/admin/abonents/block/${id}/`, {
    headers: form,
    raw: 'csrfmiddlewaretoken=x',
  })
  t.equal(blocked.status, 302)
  t.equal(blocked.headers.get('location'), form.referer)
  t.match(await record(), { enabled: false, block: { b_admin: true } })
  t.equal((await doors.post(`/admin/abonents/block/${id}/`, {})).status, 302, 'a second press changes nothing')

  const foreign = { headers: { referer: 'https://elsewhere.example/admin/' } }
  const unblocked = await doors.call('POST', `/admin/abonents/unblock/${id}`, foreign)
  t.equal(unblocked.headers.get('location'), '/admin/', 'nobody is sent to a foreign address')
  t.match(await record(), { enabled: true, block: { b_admin: false } })

  t.equal((await doors.call('POST', `/admin/abonents/reconnect/${id}/`)).status, 302)
  t.match(await doors.rows(`SELECT payload FROM outbox WHERE kind = 'disconnect' ORDER BY id DESC LIMIT 1`), [
    { payload: { logins: ['login1001'] } },
  ])

  await doors.delete(`/rest_api/v2/Abonents/${id}/`)
  t.equal((await doors.call('POST', `/admin/Abonents/restore/${id}/`)).status, 302)
  t.match(await record(), { deleted: false })

  await doors.delete(`/rest_api/v2/Abonents/${id}/`)
  await doors.post('/rest_api/v2/Abonents/', { name: 'heir', contract_number: '1001' })
  t.match(await doors.call('POST', `/admin/Abonents/restore/${id}/`), {
    status: 400,
    body: { ok: false, error: /contract number/ },
  })
})

t.test('a subscriber of another organization cannot be distinguished from a missing one', async (t) => {
  const doors = await openDoors(t, shared)
  const { abonent } = await newSubscriber(doors)
  const paths = [
    '/admin/abonents/block/',
    '/admin/abonents/unblock/',
    '/admin/abonents/reconnect/',
    '/admin/Abonents/restore/',
  ]
  for (const path of paths) {
    const foreign = await doors.call('POST', `${path}${abonent.id}/`, { organizations: [2, 3] })
    t.match(foreign, { status: 404, body: { ok: false, error: 'Not found.' } })
    t.same(await doors.call('POST', `${path}999/`, { organizations: [2, 3] }), foreign)
    t.equal((await doors.call('POST', `${path}x/`)).status, 404)
    t.equal((await doors.call('POST', `${path}${abonent.id}/`, { organizations: [1] })).status, 302)
  }
})
