// needs chromium from chromium
import t from 'tap'
import { type Json, openAccountsOffice } from '../interfaces/accounts/fixture.ts'
import { pagePort } from '../support/chromium.ts'
import {
  desk,
  follow,
  isRefusal,
  openScreen,
  overflow,
  questionsTo,
  seriousFaults,
  telephone,
  untilSo,
} from '../support/console.ts'
import { Hand } from '../support/hand.ts'

const { office, root, client, move, made } = await openAccountsOffice(t, { httpPort: await pagePort() })
const evil = '<img src=x onerror="window.caught = true">'
const { account, id: subscriber } = await client(evil, { comment: evil })
await client('Иванов Иван')
await office.rows(`INSERT INTO admin_accounts (comment) SELECT 'n' || n FROM generate_series(1, 250) AS n`)
await made(`/admin/Abonents/accounts_crud/${account}/`, {
  ...{ comment: evil, warn: 10, sleep_date: '2020-05-05T20:59:59+03:00' },
})

t.test('the former address leads to an account, which is paid, reversed, linked and changed', async (t) => {
  const { page, complaints } = await openScreen(t, root, `/Abonents/AdminAccounts/?edit=${account}`, desk, isRefusal)
  t.equal(new URL(page.url()).pathname, `/admin/money/accounts/${account}/`)
  await page.getByRole('heading', { name: `Счёт № ${account}` }).waitFor()
  const main = page.locator('main')
  await main.getByRole('link', { name: evil }).waitFor()
  const form = page.getByRole('dialog')
  const amount = form.getByLabel('Сумма, ₽')

  await main.getByRole('button', { name: 'Провести деньги' }).click()
  await form.getByText('Пополнение').waitFor()
  await form.getByLabel('Вид').click()
  await page.getByRole('option', { name: /^\+ / }).first().waitFor()
  t.match(await form.getByLabel('Вид').inputValue(), /^\+ /, 'what is usual is chosen')
  t.equal(await page.getByRole('option', { name: /^[−·]/ }).count(), 0, 'a top-up offers income only')
  await page.keyboard.press('Escape')
  await amount.fill('100,5')
  await form.getByLabel('Дата').fill('2099-01-01T10:00')
  await form.getByRole('button', { name: 'Провести' }).click()
  const asked = page.getByRole('dialog', { name: 'Провести с этой датой?' })
  await asked.getByText('Дата операции в будущем').waitFor()
  await page.keyboard.press('Escape')
  await asked.waitFor({ state: 'detached' })
  t.equal(await amount.inputValue(), '100,5', 'Esc answers the question, and the form beneath it stays')
  await form.getByRole('alert').getByText('Дата операции в будущем').waitFor()
  t.same(await office.rows('SELECT FROM finance_operations WHERE account_id = $1', [account]), [])
  await form.getByLabel('Дата').fill('2001-02-03T10:00')
  await form.getByRole('button', { name: 'Провести' }).click()
  await asked.getByText('Дата операции раньше открытия счёта').waitFor()
  await asked.getByRole('button', { name: 'Провести' }).click()
  await asked.waitFor({ state: 'detached' })
  await page.getByText('Проведено +100,50').waitFor()
  await main.getByRole('link', { name: /^Сторнировать операцию/ }).click()
  await form.getByLabel('Причина').fill(evil)
  await form.getByRole('button', { name: 'Сторнировать' }).click()
  await page.getByText('Операция сторнирована').waitFor()
  await page.waitForURL(new RegExp(`/money/accounts/${account}/$`))
  t.same(
    await office.rows(
      'SELECT op_summa, admin_comment, storno FROM finance_operations WHERE account_id = $1 ORDER BY op_id',
      [account],
    ),
    [
      { op_summa: '1005000000000', admin_comment: null, storno: true },
      { op_summa: '-1005000000000', admin_comment: evil, storno: true },
    ],
  )
  t.equal(await main.getByRole('link', { name: /^Сторнировать операцию/ }).count(), 0, 'neither is reversed again')
  await main.getByRole('button', { name: 'Провести деньги' }).click()
  await amount.fill('100,5')
  await form.getByLabel('Комментарий').fill(evil)
  await form.getByRole('button', { name: 'Провести' }).dblclick()
  await page.getByText('Проведено +100,50').last().waitFor()
  await main.locator('td', { hasText: evil }).first().waitFor()

  await main.getByRole('button', { name: 'Провести деньги' }).click()
  await form.getByText('Корректировка').click()
  await form.getByLabel('Вид').click()
  await page.getByRole('option', { name: /^− / }).first().click()
  await amount.fill('200')
  await form.getByRole('button', { name: 'Провести' }).click()
  await page.getByText('Проведено −200,00').waitFor()
  await main.getByText('Доступ закрыт').first().waitFor()
  await main
    .getByRole('link', { name: /^Сторнировать операцию/ })
    .first()
    .click()
  await form.getByLabel('Причина').fill('не тому')
  await form.getByRole('button', { name: 'Сторнировать' }).click()
  await main.getByText('Доступ закрыт').first().waitFor({ state: 'detached' })
  await main.getByRole('button', { name: 'Привязать клиента' }).click()
  await form.getByRole('combobox', { name: 'Абонент' }).fill('иванов')
  await page.getByRole('option', { name: /Иванов Иван/ }).click()
  await form.getByRole('button', { name: 'Привязать' }).click()
  await form.getByRole('button', { name: 'Перенести' }).click()
  await page.getByText('Клиент привязан').waitFor()
  await main.getByRole('link', { name: 'Иванов Иван' }).waitFor()
  await main
    .getByRole('row', { name: /Иванов/ })
    .getByRole('button', { name: 'Отвязать' })
    .click()
  await form.getByRole('button', { name: 'Отвязать' }).click()
  await page.getByText('его новый счёт').waitFor()

  await main.getByRole('button', { name: 'Изменить условия' }).click()
  t.equal(await form.getByLabel('Порог предупреждения').inputValue(), '10,00')
  await form.getByLabel('Порог отключения').fill('-300')
  await form.getByLabel('Порог предупреждения').fill('')
  await form.getByLabel('Без отключения', { exact: true }).check()
  await form.getByLabel('Без отключения до').fill('2030-01-01T10:00')
  await form.getByRole('button', { name: 'Сохранить' }).click()
  await page.getByText('Условия сохранены').waitFor()
  const [stored] = await office.rows(
    'SELECT warn, "limit", comment, unlimited, unlimited_date, sleep_date FROM admin_accounts WHERE id = $1',
    [account],
  )
  t.match(stored as Json, { warn: null, limit: '-3000000000000', comment: evil, unlimited: true })
  t.strictSame(
    stored!.unlimited_date,
    new Date('2030-01-01T10:00:00+03:00'),
    'an hour of TIME_ZONE, not of the browser',
  )
  t.strictSame(stored!.sleep_date, new Date('2020-05-05T20:59:59+03:00'), 'what was not touched stays, to the second')

  await main.getByText('Ни у кого из клиентов счёта нет тарифа и услуг').waitFor()
  t.equal(
    await main.getByRole('link', { name: 'Назначить тариф' }).getAttribute('href'),
    `/admin/subscribers/${subscriber}/services/tariff/`,
  )
  for (const text of ['1 платёж на', 'Строк выписки нет', 'Уведомлени']) await main.getByText(text).first().waitFor()
  t.equal(await main.getByRole('button', { name: 'Удалить счёт' }).count(), 0, 'what is in use cannot be deleted')
  t.equal(await page.evaluate('window.caught'), undefined)
  t.equal(await page.locator('img').count(), 0)
  t.same(await seriousFaults(page), [])
  const { id: tarif } = await made('/rest_api/v2/Tarif/', { name: 'Домашний', price: 1_000_000_000_000 })
  const frozen = await client('Замороженный', { tarif })
  await office.rows(`UPDATE admin_accounts SET sleep_date = '2099-01-01' WHERE id = $1`, [frozen.account])
  await follow(page, `/money/accounts/${frozen.account}/`)
  await main.getByText(/^За полный месяц: 0,00.* Сейчас ничего не списывается, причина — в каждой строке\.$/).waitFor()
  await main.getByText('Не списывается: счёт заморожен').waitFor()
  t.same(complaints, [])
})

t.test('the list finds accounts, opens new ones and changes many', async (t) => {
  const { page, complaints } = await openScreen(t, root, '/Abonents/AdminAccounts/?chip=without_client&sort=-id')
  await page.getByText('Счетов 251').waitFor()
  t.match(page.url(), /\/money\/accounts\/\?chip=without_client&sort=-id$/)
  await page.getByRole('button', { name: 'Новый счёт' }).click()
  await page.getByText('Счёт без клиента').waitFor()
  await page.getByText('у этого счёта клиента нет. Привяжите его к счёту.').waitFor()
  await page.getByRole('button', { name: 'Удалить счёт' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Удалить счёт' }).click()
  await page.getByText('Счёт удалён').waitFor()

  await page.getByText('должников 0, без клиента 251').waitFor()
  const asked = questionsTo(page, '/accounts_json/')
  await page.getByLabel('Найти').fill('img src')
  await page.getByText('Счетов 1,').waitFor()
  t.equal(asked.size, 1, 'one search finds the accounts and their sums')
  await page.getByRole('cell', { name: evil }).waitFor()
  const mark = page.getByLabel(`Отметить: Счёт № ${account}`, { exact: true })
  const bar = page.getByRole('toolbar')
  await mark.check()
  const dialog = page.getByRole('dialog')
  await bar.getByRole('button', { name: 'Обещанный платёж' }).click()
  await dialog.getByText('Обещанные платежи отключены: 1').waitFor()
  t.equal(await dialog.getByRole('button', { name: 'Дать' }).isDisabled(), true)
  await dialog.getByRole('button', { name: 'Отмена' }).click()
  await bar.getByRole('button', { name: 'Удалить' }).click()
  await dialog.getByRole('button', { name: 'Выполнить' }).click()
  await dialog.getByText(`Счёт № ${account}: Есть клиент, операции или видео`).waitFor()
  t.same(await seriousFaults(page), [])
  await dialog.getByRole('button', { name: 'Закрыть' }).last().click()

  await page.getByLabel('Найти').fill('')
  await page.getByRole('button', { name: 'Без клиента' }).click()
  const orphans = page.getByLabel(/^Отметить: Счёт/)
  await page.getByText('Счетов 251').waitFor()
  for (const at of [0, 1]) await orphans.nth(at).check()
  await bar.getByRole('button', { name: 'Пороги' }).click()
  await dialog.getByLabel('Порог отключения').fill('-50')
  await dialog.getByRole('button', { name: 'Выполнить' }).click()
  await dialog.getByText('Готово: 2').waitFor()
  await dialog.getByRole('button', { name: 'Закрыть' }).last().click()
  t.equal((await office.rows(`SELECT FROM admin_accounts WHERE "limit" = -500000000000`)).length, 2)
  for (const at of [0, 1]) await orphans.nth(at).check()
  await bar.getByRole('button', { name: 'Удалить' }).click()
  await dialog.getByRole('button', { name: 'Выполнить' }).click()
  await dialog.getByText('Готово: 2').waitFor()
  await dialog.getByRole('button', { name: 'Закрыть' }).last().click()
  await page.getByText('Счетов 249').waitFor()
  t.same(await seriousFaults(page), [])
  t.same(complaints, [])
})

t.test('both screens are in English, dark, and fit a telephone', async (t) => {
  await move((await client('Должник')).account, -1234)
  const { page, complaints } = await openScreen(t, root, '/money/accounts/?chip=debtors', {
    ...telephone,
    colorScheme: 'dark',
    locale: 'en-GB',
  })
  await page.getByText('debt 1,').waitFor()
  t.ok((await overflow(page)) <= 0, 'the list')
  t.same(await seriousFaults(page), [])
  for (const path of ['', 'payment/', 'terms/', 'link/']) {
    await follow(page, `/money/accounts/${account}/${path}`)
    await page
      .getByRole(path === '' ? 'heading' : 'dialog', { name: path === '' ? `Account ${account}` : /./ })
      .waitFor()
    if (path === 'payment/') {
      await page.getByRole('dialog').getByLabel('Amount, ₽').fill('?')
      await page.keyboard.press('Enter')
      await page.getByText('An amount in rubles').waitFor()
    }
    t.ok((await overflow(page)) <= 0, path)
    t.same(await seriousFaults(page), [], path)
  }
  t.same(complaints, [])
})

t.test('a cashier takes cash within a shift, prints the receipt and closes it with a paper', async (t) => {
  const payer = await client('Кассовый Клиент')
  await move(payer.account, -350)
  const cashier = await office.staff('kassa', 'cashier', [1])
  const { page, context, complaints } = await openScreen(t, cashier, '/')
  const asked = (pattern: RegExp) => context.waitForEvent('request', (request) => pattern.test(request.url()))
  const main = page.locator('main')
  await page.getByRole('link', { name: 'Деньги' }).click()
  await page.getByRole('link', { name: 'Касса' }).click()
  await main.getByText('Смена не открыта').waitFor()
  await main.getByLabel('В кассе на начало, ₽').fill('1000')
  await page.keyboard.press('Enter')
  await main.getByRole('heading', { name: /^Смена № / }).waitFor()
  t.same(await seriousFaults(page), [])

  await page.getByRole('link', { name: 'Сводка' }).click()
  await page.getByRole('heading', { name: 'Сводка' }).waitFor()
  const hand = new Hand()
  await hand.click(page.getByRole('link', { name: 'Деньги' }))
  await hand.click(page.getByRole('link', { name: 'Касса' }))
  await main.getByRole('combobox', { name: 'Кто платит' }).waitFor()
  await untilSo(page, `document.activeElement?.getAttribute('role') === 'combobox'`)
  await page.keyboard.type('кассовый')
  // Enter takes, and P prints.
  await hand.click(page.getByRole('option', { name: /Кассовый Клиент/, disabled: false }))
  const amount = main.getByLabel('Сумма, ₽')
  await amount.waitFor()
  t.equal(await amount.inputValue(), '350,00', 'the debt is there before anybody types')
  await untilSo(page, `document.activeElement?.getAttribute('name') === 'amount'`)
  await page.keyboard.press('Enter')
  await main.getByRole('heading', { name: 'Принято 350,00' }).waitFor()
  const receipt = asked(new RegExp(`/admin/getpdf/${payer.id}/\\d+/`))
  await page.keyboard.press('KeyP')
  await receipt
  hand.did(t, 'task 5')
  t.same(await seriousFaults(page), [])
  t.match(
    await office.rows('SELECT op_summa, is_cash FROM finance_operations WHERE account_id = $1 ORDER BY op_id', [
      payer.account,
    ]),
    [{}, { op_summa: '3500000000000', is_cash: true }],
  )
  await page.keyboard.press('KeyN')
  await untilSo(page, `document.activeElement?.getAttribute('role') === 'combobox'`)
  // Enter comes before the answer can.
  await page.keyboard.type('кассовый')
  await page.keyboard.press('Enter')
  await amount.waitFor()
  const shift = main.getByRole('row', { name: /Касса Наличные 1 350,00/ })
  await shift.waitFor()
  await main.getByText('1 350,00').first().waitFor()

  await main.getByRole('link', { name: 'Закрыть смену' }).click()
  const form = page.getByRole('dialog')
  await form.getByLabel('Пересчитано в кассе, ₽').fill('1349')
  t.same(await seriousFaults(page), [])
  await form.getByRole('button', { name: 'Закрыть смену' }).click()
  await page.waitForURL(/\/money\/cash\/shifts\/\d+\/$/)
  await main.getByText('−1,00').waitFor()
  const paper = asked(/\/admin\/cash\/shifts\/\d+\/paper\//)
  await main.getByRole('link', { name: /^Отчёт по смене/ }).click()
  await paper
  await main.getByRole('link', { name: 'Смены' }).click()
  await main.getByRole('link', { name: /^Смена № / }).waitFor()
  t.same(await seriousFaults(page), [])
  t.same(complaints, [])
})

t.test('the cash desk is in English, dark, and fits a telephone', async (t) => {
  const cashier = await office.staff('till', 'cashier', [1])
  const { page, complaints } = await openScreen(t, cashier, '/money/cash/', {
    ...telephone,
    colorScheme: 'dark',
    locale: 'en-GB',
  })
  const fits = async (what: string) => {
    t.ok((await overflow(page)) <= 0, what)
    t.same(await seriousFaults(page), [], what)
  }
  await page.getByText('No shift is open').waitFor()
  await fits('no shift')
  await page.getByRole('button', { name: 'Open a shift' }).click()
  await page.getByText('No payments in this shift yet').waitFor()
  await page.getByRole('combobox', { name: 'Who is paying' }).fill('Кассовый')
  await page.getByRole('option', { name: /Кассовый/ }).click()
  await page.getByLabel('Amount, ₽').fill('5')
  await fits('an amount')
  await page.getByRole('button', { name: 'Take' }).click()
  await page.getByRole('button', { name: 'Print the receipt' }).waitFor()
  await fits('taken')
  for (const [path, word] of [
    ['/money/cash/close/', 'Counted in the drawer, ₽'],
    ['/money/cash/shifts/', 'Shift'],
  ] as const) {
    await follow(page, path)
    await page.locator('main, [role=dialog]').getByText(word).first().waitFor()
    await fits(path)
  }
  t.same(complaints, [])
})
