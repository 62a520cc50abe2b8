import t, { type Test } from 'tap'
import { SharedDatabase } from '../../support/database.ts'
import { signedIn } from './fixture.ts'

const shared = await SharedDatabase.open(t)
const ivan = (t: Test) => signedIn(t, shared)

t.test('a tariff is changed after a question, at once or from the next month, and the change taken back', async (t) => {
  const { fixture, browser, id } = await ivan(t)
  const { pool } = fixture.database
  await pool.query(`INSERT INTO tarifs (id, name, price, speed_mbit, is_public) VALUES (6, 'Быстрый', 9000000000000, 300, true),
    (7, 'Для своих', 1000000000000, 300, false)`)
  await pool.query('UPDATE tarifs SET is_public = true WHERE id = 5')
  const page = await browser.get('/lk/tariff/')
  t.match(page.text, 'Home &lt;100&gt;')
  t.match(page.text, '<a href="/lk/tariff/?id=6">Быстрый<small>900\u00a0₽ в месяц, 300 Мбит/с</small></a>')
  t.notMatch(page.text, /Для своих|<form[^>]*tariff/)
  for (const other of ['5', '7', '999', 'x']) t.equal((await browser.get(`/lk/tariff/?id=${other}`)).status, 404, other)
  t.match((await browser.get('/lk/tariff/?id=6')).text, /сразу[\s\S]*name="tariff_id" value="6"/)
  const tariff = async () =>
    Number((await pool.query('SELECT tarif_id FROM abonents WHERE id = $1', [id])).rows[0].tarif_id)
  t.equal((await browser.post('/lk/tariff/', { tariff_id: '7' })).status, 404)
  t.equal(await tariff(), 5)
  t.match(await browser.post('/lk/tariff/', { tariff_id: '6' }), { status: 302, location: '/lk/tariff/?done=changed' })
  t.equal(await tariff(), 6)
  t.equal((await browser.post('/lk/tariff/', { tariff_id: '6' })).status, 400, 'it is the present one')

  await fixture.set({ TARIFF_CHANGE: 'next_period' })
  t.match((await browser.get('/lk/tariff/?id=5')).text, /Начнёт действовать<\/dt><dd>01\.\d\d\.\d{4}/)
  t.match(await browser.post('/lk/tariff/', { tariff_id: '5' }), { location: '/lk/tariff/?done=planned' })
  t.equal(await tariff(), 6)
  t.match((await browser.get('/lk/tariff/')).text, /Home &lt;100&gt; с 01\.[\s\S]*Оставить «Быстрый»/)
  t.match(await browser.post('/lk/tariff/', { tariff_id: '6' }), { location: '/lk/tariff/?done=kept' })
  t.notMatch((await browser.get('/lk/tariff/')).text, 'Оставить')
})

t.test('services on offer are switched on and off, others only shown', async (t) => {
  const { fixture, browser, id } = await ivan(t)
  const { pool } = fixture.database
  t.match((await browser.get('/lk/services/')).text, 'Дополнительных услуг нет.')
  await pool.query(`INSERT INTO uslugas (id, name, price, is_public) VALUES (77, 'IP & Co', 1000000000000, true),
    (78, 'TV', 1000000000000, false)`)
  const offered = await browser.get('/lk/services/')
  t.match(offered.text, /Можно подключить[\s\S]*IP &amp; Co<\/strong><small>100\u00a0₽ в месяц/)
  t.notMatch(offered.text, 'TV')
  const press = (service_id: string, enable: string) => browser.post('/lk/services/', { service_id, enable })
  t.match(await press('77', '1'), { status: 302, location: '/lk/services/?done=on' })
  t.match((await browser.get('/lk/services/')).text, /Подключены<\/h2>[\s\S]*IP &amp; Co[\s\S]*>Отключить</)
  t.match(await press('77', '0'), { status: 302, location: '/lk/services/?done=off' })
  t.same(
    [(await press('78', '1')).status, (await press('x', '1')).status, (await press('77', 'x')).status],
    [404, 404, 400],
  )
  await pool.query('INSERT INTO users_uslugas (abonent_id, usluga_id) VALUES ($1, 78)', [id])
  t.match((await browser.get('/lk/services/')).text, /TV[\s\S]*Этой услугой управляет оператор/)
  t.equal((await press('78', '0')).status, 400)
})

t.test('tickets: opened, answered and read, replied to, and of nobody else', async (t) => {
  const { fixture, browser, id } = await ivan(t)
  t.match((await browser.get('/lk/')).text, 'href="/lk/tickets/"')
  t.match((await browser.get('/lk/tickets/')).text, 'Новое обращение')
  for (const fields of [{}, { subject: ' ', body: 'Давно' }, { subject: 'Нет связи', body: '' }]) {
    const refused = await browser.post('/lk/tickets/', fields)
    t.equal(refused.status, 400)
    t.match(refused.text, 'role="alert"')
  }
  t.match(
    (await browser.post('/lk/tickets/', { subject: 'x'.repeat(201), body: 'Давно & <b>' })).text,
    'Давно &amp; &lt;b&gt;',
  )
  const opened = await browser.post('/lk/tickets/', { subject: 'Нет <связи>', body: 'С утра\r\nне работает' })
  t.match([opened.status, opened.location], [302, /^\/lk\/tickets\/\?id=\d+&done=opened$/])
  const address = opened.location!.replace('&done=opened', '')
  const ticket = Number(/\d+/.exec(address))
  const thread = await browser.get(opened.location!)
  t.match(thread.text, /Обращение принято[\s\S]*<small>Вы, [^<]*<\/small><p class="typed">С утра\nне работает<\/p>/)
  t.match(thread.text, '<h1>Нет &lt;связи&gt;</h1>')

  const { pool } = fixture.database
  const answer = `INSERT INTO hdsk_messages (hdsk_id, author, body) VALUES ($1, 'staff', 'Уже чиним')`
  await pool.query(answer, [ticket])
  await pool.query(`UPDATE hdsks SET status = 'closed' WHERE id = $1`, [ticket])
  t.match((await browser.get('/lk/tickets/')).text, 'новых ответов: 1')
  await fixture.set({ READ_ONLY_MODE: true })
  t.match((await browser.get(address)).text, 'Уже чиним')
  t.equal((await browser.post(address, { body: 'Спасибо' })).status, 403)
  await fixture.set({ READ_ONLY_MODE: false })
  t.match((await browser.get('/lk/tickets/')).text, 'новых ответов: 1', 'nothing is read in READ_ONLY_MODE')
  t.match((await browser.get(address)).text, 'Обращение закрыто. Ответ откроет его снова.')
  t.match((await browser.get('/lk/tickets/')).text, 'закрыто')
  t.equal((await browser.post(address, { body: ' ' })).status, 400)
  t.match(await browser.post(address, { body: 'Всё ещё нет' }), { status: 302, location: `${address}&done=sent` })
  t.match((await browser.get(`${address}&lang=en`)).text, /Ticket \d+, open[\s\S]*Support, [\s\S]*Всё ещё нет/)
  await browser.get('/lk/?lang=ru')

  const { rows } = await pool.query<{ id: string }>(
    `INSERT INTO abonents (name, contract_number, account_id) SELECT 'Anna', '77', account_id FROM abonents WHERE id = $1 RETURNING id`,
    [id],
  )
  const others = await pool.query<{ id: string }>(
    `INSERT INTO hdsks (abonent_id, subject) VALUES ($1, 'Of Anna') RETURNING id`,
    [rows[0]!.id],
  )
  for (const other of [others.rows[0]!.id, '999999', 'x']) {
    t.equal((await browser.get(`/lk/tickets/?id=${other}`)).status, 404)
    t.equal((await browser.post(`/lk/tickets/?id=${other}`, { body: 'Чужое' })).status, 404)
  }
})
