// needs chromium from chromium
import t from 'tap'
import { type Caller, type Json, openOffice } from '../interfaces/admin-office.ts'
import { pagePort } from '../support/chromium.ts'
import {
  desk,
  follow,
  isRefusal,
  openScreen,
  overflow,
  seriousFaults,
  telephone,
  untilFilled,
  untilSo,
} from '../support/console.ts'
import { Hand } from '../support/hand.ts'

const office = await openOffice(t, { httpPort: await pagePort() })
const root = await office.staff('root')

const made = async (path: string, fields: object): Promise<Json> => {
  const { status, body } = await root.post(path, fields)
  if (status !== 200 && status !== 201) throw new Error(JSON.stringify(body))
  return body
}
const dictionary = (name: string, fields: object) => made(`/admin/dictionary/${name}_crud/`, fields)
const old = await dictionary('tarifs', { name: 'Старый', price: '300', speed_mbit: 10 })
const city = await dictionary('homes', { kind: 'city', name: 'Тверь' })
const street = await dictionary('homes', { kind: 'street', name: 'Советская', parent: city.id })
const house = await dictionary('homes', { kind: 'house', name: '5', parent: street.id })
const clients = await Promise.all(
  ['Иванов Иван', 'Петрова Анна'].map((name, at) =>
    made('/rest_api/v2/Abonents/', { name, contract_number: String(at), tarif: old.id, home: house.id }),
  ),
)
for (const { id } of clients)
  await office.rows(
    `INSERT INTO radius_sessions (login, abonent_id, nas_id, acct_session_id, started_at, updated_at, ended_at)
      VALUES ('x', $1, 1, 'of ' || $2, now() - interval '2 hours', now(), now() - interval '3 minutes')`,
    [id, String(id)],
  )

t.test('a tariff is added in four clicks, then changed and archived', async (t) => {
  const { page, complaints } = await openScreen(t, root, '/', desk, isRefusal)
  const hand = new Hand()
  await hand.click(page.getByRole('navigation').getByRole('link', { name: 'Справочники' }))
  await hand.click(page.getByRole('link', { name: 'Новый тариф' }))
  const form = page.getByRole('dialog')
  await form.getByLabel('Название').fill('Гигабит')
  await form.getByLabel('Цена за месяц, ₽').fill('дорого')
  await page.keyboard.press('Enter')
  await form.getByText('Сумма в рублях, например 600').waitFor()
  t.equal(await page.locator(':focus').getAttribute('name'), 'price', 'the wrong field has the focus')
  await form.getByLabel('Цена за месяц, ₽').fill('999,90')
  await form.getByLabel('К клиенту, Мбит/с').fill('1000')
  await hand.click(form.getByRole('button', { name: 'Добавить' }))
  await page.getByText('Тариф «Гигабит» добавлен').waitFor()
  hand.did(t, 'task 13')
  const row = page.getByRole('row', { name: /Гигабит/ })
  t.match(await row.textContent(), /999,90.*Месяц.*1 Гбит/)
  t.match(await page.getByRole('row', { name: /Старый/ }).textContent(), /300,00.*2/)
  t.same(await seriousFaults(page), [])

  await page.getByRole('link', { name: 'Старый' }).click()
  await form.getByRole('button', { name: 'В архив' }).click()
  await page.getByText(/Тариф в архиве/).waitFor()
  await page.getByRole('link', { name: 'Старый' }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Архив' }).click()
  await page
    .getByRole('row', { name: /Старый/ })
    .getByRole('link', { name: '2' })
    .click()
  await page.getByRole('link', { name: 'Петрова Анна' }).waitFor()
  t.same(complaints, [])
})

t.test('a service is added, offered to clients, archived, and one that nobody has is deleted', async (t) => {
  const { page, complaints } = await openScreen(t, root, '/dictionaries/services/', desk, isRefusal)
  await page.getByRole('link', { name: 'Новая услуга' }).first().click()
  const form = page.getByRole('dialog')
  await form.getByLabel('Название').fill('Постоянный адрес')
  await form.getByLabel('Цена за месяц, ₽').fill('сто')
  await page.keyboard.press('Enter')
  await form.getByText('Сумма в рублях, например 600').waitFor()
  await form.getByLabel('Цена за месяц, ₽').fill('150,50')
  await form.getByRole('switch', { name: 'Клиент подключает её сам' }).click()
  await form.getByRole('button', { name: 'Добавить' }).click()
  await page.getByText('Услуга «Постоянный адрес» добавлена').waitFor()
  t.match(await page.getByRole('row', { name: /Постоянный адрес/ }).textContent(), /150,50.*Месяц.*0.*Виден клиентам/)
  t.same(await seriousFaults(page), [])
  const [{ id }] = await office.rows(`SELECT id FROM uslugas WHERE name = 'Постоянный адрес'`)
  const given = { abonent_id: clients[0].id, usluga_id: Number(id) }
  await made('/admin/Abonents/users_usluga_crud/', given)

  await page.getByRole('link', { name: 'Постоянный адрес' }).click()
  await form.getByLabel('Цена за месяц, ₽').waitFor()
  t.equal(await form.getByLabel('Цена за месяц, ₽').inputValue(), '150,50')
  t.same(await seriousFaults(page), [])
  await form.getByRole('button', { name: 'Удалить' }).click()
  await page
    .getByRole('dialog', { name: /Удалить «/ })
    .getByRole('button', { name: 'Удалить' })
    .click()
  await page.getByText('Этим ещё пользуются').waitFor()
  await form.getByRole('button', { name: 'В архив' }).click()
  await page.getByText(/Услуга в архиве/).waitFor()
  await page.getByRole('button', { name: 'Архив' }).click()
  await page.getByRole('row', { name: /Постоянный адрес.*1/ }).waitFor()
  await page.getByRole('button', { name: 'Обещанные платежи' }).click()
  const [{ name: promise }] = await office.rows('SELECT name FROM uslugas WHERE id = -3')
  await page.getByRole('link', { name: promise }).click()
  await form.getByLabel('Срок, дней').fill('4')
  await page.keyboard.press('Enter')
  await page.getByText('Сохранено').waitFor()
  await page.getByRole('button', { name: 'Обещанные платежи' }).click()
  await page.getByRole('row', { name: /4 дня/ }).waitFor()
  t.same(complaints, [])
})

t.test('a street and a house are added in three clicks, and a house leads to who lives there', async (t) => {
  const { page, complaints } = await openScreen(t, root, '/', desk, isRefusal)
  const hand = new Hand()
  await hand.click(page.getByRole('navigation').getByRole('link', { name: 'Справочники' }))
  await hand.click(page.getByRole('navigation').getByRole('link', { name: 'Адреса' }))
  await hand.click(page.getByRole('link', { name: 'Добавить улицу' }))
  const form = page.getByRole('dialog')
  await form.getByRole('textbox', { name: 'Улица' }).fill('советская')
  await page.keyboard.press('Enter')
  await form.getByText('Уже занято').waitFor()
  await form.getByRole('textbox', { name: 'Улица' }).fill('Мира')
  await page.keyboard.press('Enter')
  await form.getByRole('textbox', { name: 'Дом' }).fill('12')
  await page.keyboard.press('Enter')
  await page.getByText('Добавлено: 12').waitFor()
  hand.did(t, 'task 15')
  await page.getByRole('heading', { name: 'Мира' }).waitFor()
  await page.getByRole('link', { name: '12', exact: true }).waitFor()
  t.same(await seriousFaults(page), [])

  await page.getByRole('link', { name: 'Города' }).click()
  await page.getByLabel('Найти').fill('сов 5')
  await page.getByRole('link', { name: 'Тверь, Советская, 5', exact: true }).click()
  await page.getByRole('link', { name: 'Иванов Иван' }).waitFor()
  await page.goBack()
  await page.getByRole('link', { name: 'Переименовать Тверь, Советская, 5' }).click()
  await form.getByRole('textbox', { name: 'Дом' }).fill('5А')
  await page.keyboard.press('Enter')
  await page.getByText('Сохранено').waitFor()
  const [{ address }] = await office.rows('SELECT address FROM abonents WHERE id = $1', [clients[0].id])
  t.equal(address, 'Тверь, Советская, 5А')

  await page.getByRole('navigation').getByRole('link', { name: 'Сеть' }).click()
  await page.getByRole('navigation').getByRole('link', { name: 'По домам' }).click()
  t.match(await page.getByRole('row', { name: /5А/ }).textContent(), /Никого в сети.*0 из 2.*2/)
  t.same(await seriousFaults(page), [])
  t.same(complaints, [])
})

t.test('a switch is added where it stands, and shows who is on its ports', async (t) => {
  const { page, complaints } = await openScreen(t, root, '/dictionaries/switches/')
  await page.getByRole('link', { name: 'Новый коммутатор' }).first().click()
  const form = page.getByRole('dialog')
  await form.getByLabel('Название').fill('sw-sov-5')
  await form.getByLabel('IP-адрес').fill('10.0.0.300')
  await form.getByLabel('Число портов').fill('4')
  await form.getByRole('combobox', { name: 'Место' }).fill('твер сов')
  await page.getByRole('option', { name: /Советская, 5/ }).click()
  await page.keyboard.press('Enter')
  await form.getByText('Это не адрес').waitFor()
  await form.getByLabel('IP-адрес').fill('10.0.0.30')
  await page.keyboard.press('Enter')
  const card = page.getByRole('dialog', { name: 'sw-sov-5' })
  await card.getByText('Занято портов: 0 из 4').waitFor()
  const [{ id }] = await office.rows('SELECT id FROM switches')
  const line = { abonent: clients[1].id, login: 'anna', password: 'x', switch: Number(id), switch_port: 3 }
  await made('/rest_api/v2/Users/', line)
  await page.reload()
  await card.getByText('Занято портов: 1 из 4').waitFor()
  await card.getByRole('link', { name: 'Петрова Анна' }).waitFor()
  t.same(await seriousFaults(page), [])
  // More houses than the choice has room for, all of them before it.
  await office.rows(
    `INSERT INTO homes (parent_id, kind, name) SELECT $1, 'house', '0/' || n FROM generate_series(1, 40) AS n`,
    [street.id],
  )
  await card.getByRole('link', { name: 'Изменить' }).click()
  const place = form.getByRole('combobox', { name: 'Место' })
  await untilFilled(place, 'Советская, 5А')
  t.same(complaints, [])
})

t.test('one list and one form serve the dictionaries that are nothing but their fields', async (t) => {
  const { page, complaints } = await openScreen(t, root, '/dictionaries/folders/', desk, isRefusal)
  const form = page.getByRole('dialog')
  const save = async () => {
    await page.keyboard.press('Enter')
    await form.waitFor({ state: 'detached' })
    await page.getByText('Сохранено', { exact: true }).first().waitFor()
  }
  const add = async (name: string, title: string, field: string, text: string) => {
    await follow(page, `/dictionaries/${name}/`)
    await page.getByRole('link', { name: title }).first().click()
    await form.getByRole('textbox', { name: field, exact: true }).fill(text)
  }
  await add('folders', 'Новая папка', 'Название', '')
  await page.keyboard.press('Enter')
  await form.getByText('Заполните', { exact: true }).waitFor()
  await form.getByRole('textbox', { name: 'Название', exact: true }).fill('Частные лица')
  await save()
  await add('folders', 'Новая папка', 'Название', 'Дачи')
  await form.getByRole('combobox', { name: 'Родительская папка' }).click()
  await page.getByRole('option', { name: 'Частные лица' }).click()
  await form.getByRole('button', { name: 'Добавить' }).click()
  t.match(await page.getByRole('row', { name: /Дачи/ }).textContent(), /Частные лица/)
  t.same(await seriousFaults(page), [])
  await page.getByRole('link', { name: 'Частные лица', exact: true }).click()
  await form.getByRole('combobox', { name: 'Родительская папка' }).click()
  await page.getByRole('option', { name: 'Дачи' }).click()
  await page.keyboard.press('Enter')
  await form.getByText('Папку нельзя вложить в саму себя').waitFor()
  await page.keyboard.press('Escape')
  await form.waitFor({ state: 'detached' })

  await add('organizations', 'Новая организация', 'Название', 'Юг')
  await form.getByLabel('ИНН').fill('12')
  await form.getByRole('combobox', { name: 'НДС в ценах' }).click()
  await page.getByRole('option', { name: '20 %' }).click()
  await form.getByRole('button', { name: 'Добавить' }).click()
  await form.getByText('Неверное значение').waitFor()
  await form.getByLabel('ИНН').fill('5044000001')
  await form.getByLabel('ИНН').press('Enter')
  await page.getByRole('row', { name: /Юг.*5044000001/ }).waitFor()
  await page.getByRole('link', { name: 'Юг' }).click()
  await form.getByRole('button', { name: 'Удалить' }).click()
  await page
    .getByRole('dialog', { name: /Удалить «/ })
    .getByRole('button', { name: 'Удалить' })
    .click()
  await page.getByText('Удалено').waitFor()
  await page.getByRole('link', { name: 'Юг' }).waitFor({ state: 'detached' })

  await add('currencies', 'Новая валюта', 'Код', 'USD')
  await form.getByRole('textbox', { name: 'Название', exact: true }).fill('Доллар')
  await save()
  await add('operation-types', 'Новый вид операций', 'Название', 'Монтаж')
  await form.getByRole('combobox', { name: 'Знак' }).click()
  await page.getByRole('option', { name: 'Расход' }).click()
  await form.getByRole('button', { name: 'Добавить' }).click()
  await page.getByRole('row', { name: /Монтаж.*Расход/ }).waitFor()
  const types = await office.rows(`SELECT op_sign FROM fin_types WHERE op_name = 'Монтаж'`)
  t.same(types, [{ op_sign: -1 }])

  await office.rows(`INSERT INTO user_attributes (name, is_sorm, sorm_field_code) VALUES ('Паспорт', true, 'passport')`)
  await follow(page, '/dictionaries/fields/')
  await page.getByRole('link', { name: 'Паспорт' }).click()
  await form.getByRole('textbox', { name: 'Название', exact: true }).fill('Документ')
  await page.keyboard.press('Enter')
  const asked = page.getByRole('dialog', { name: 'Переименовать поле выгрузки СОРМ?' })
  await asked.getByRole('button', { name: 'Переименовать' }).click()
  await page.getByRole('link', { name: 'Документ' }).waitFor()

  await add('cards', 'Новая карта', 'Серийный номер', 'SN-7')
  await form.getByLabel('PIN').fill('4321')
  await form.getByLabel('Номинал, ₽').fill('500,50')
  await save()
  t.match(await page.getByRole('row', { name: /SN-7/ }).textContent(), /500,50.*Новая/)
  await add('video', 'Новая камера', 'Название', 'Двор')
  await save()
  t.match(await page.getByRole('row', { name: /Двор/ }).textContent(), /Да/)
  t.same(complaints, [])
})

t.test('who sees some organizations alone is not offered what belongs to all', async (t) => {
  await office.rows(`INSERT INTO organizations (id, name) VALUES (2, 'Север')`)
  const offeredTo = async (who: Caller) => {
    const { page } = await openScreen(t, who, '/network/nas/')
    const offered: boolean[] = []
    for (const [path, title, name] of [
      ['/network/nas/', 'NAS', 'Добавить NAS'],
      ['/subscribers/', 'Абоненты', 'Импорт'],
    ] as const) {
      await follow(page, path)
      await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor()
      offered.push((await page.locator('main, nav').getByText(name, { exact: true }).count()) > 0)
    }
    return offered
  }
  t.same(await offeredTo(root), [true, true])
  t.same(await offeredTo(await office.staff('north', 'admin', [2])), [false, false])
})

t.test('the screens are in both languages, light and dark, and fit a telephone', async (t) => {
  const [{ id }] = await office.rows('SELECT id FROM switches')
  const options = { ...telephone, colorScheme: 'dark', locale: 'en-GB' } as const
  const { page, complaints } = await openScreen(t, root, '/dictionaries/tariffs/', options)
  for (const [path, word] of [
    ['/dictionaries/tariffs/', 'New tariff'],
    [`/dictionaries/tariffs/${old.id}/`, 'Restore from the archive'],
    ['/dictionaries/services/new/', 'Monthly price'],
    ['/dictionaries/organizations/1/', 'Tax number'],
    ['/dictionaries/operation-types/', 'Operation types'],
    [`/dictionaries/addresses/?in=${street.id}`, 'Add a house'],
    [`/dictionaries/switches/${id}/`, 'Ports in use: 1 of 4'],
    ['/network/homes/', 'Nobody online'],
  ] as const) {
    await follow(page, path)
    await page.locator('main, [role=dialog]').getByText(word).first().waitFor()
    await untilSo(page, `!document.querySelector('[aria-busy=true]')`)
    t.ok((await overflow(page)) <= 0, path)
    t.same(await seriousFaults(page), [], path)
  }
  // Of many houses only those on the screen are drawn.
  await follow(page, `/dictionaries/addresses/?in=${street.id}&q=5`)
  await page.getByRole('link', { name: 'Rename Тверь, Советская, 5А' }).click()
  await page.getByRole('dialog').getByRole('textbox', { name: 'House' }).fill('5Б')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: /^5Б/ }).waitFor()
  t.same(complaints, [])
})
