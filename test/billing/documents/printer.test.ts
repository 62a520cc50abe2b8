import t from 'tap'
import { Printer } from '../../../src/billing/documents/printer.ts'
import { aBill, anInvoice, aReceipt, customer, nothingEntered, readPdf } from '../../support/documents.ts'

const printer = new Printer({ threads: 2, waitingMax: 3 })
t.teardown(() => printer.stop())

t.test('every document is a complete PDF with its fonts embedded', async (t) => {
  for (const paper of [anInvoice, aReceipt, { ...aReceipt, kind: 'note' as const, isReversed: true }, aBill(3)]) {
    const bytes = await printer.draw(paper)
    const { pages, fonts, embedded, glyphs } = readPdf(bytes)
    t.equal(pages, 1, paper.kind)
    t.same(fonts, ['DejaVuSansCondensed', 'DejaVuSansCondensed-Bold'], paper.kind)
    t.equal(embedded, 2, 'both are in the file')
    t.ok(glyphs > 300, `${paper.kind}: ${glyphs} glyphs`)
    t.ok(bytes.length < 60_000, `${paper.kind}: only the glyphs used are in it, ${bytes.length} bytes`)
  }
})

t.test('a long bill continues on further pages', async (t) => {
  t.equal(readPdf(await printer.draw(aBill(0))).pages, 1)
  const { pages } = readPdf(await printer.draw(aBill(300)))
  t.ok(pages >= 6 && pages <= 14, `${pages} pages`)
})

t.test('documents are drawn with no details entered, and with names that are too long', async (t) => {
  t.equal(readPdf(await printer.draw({ ...anInvoice, supplier: nothingEntered })).pages, 1)
  const name = `Общество\u0000\u202e ${'Ъ'.repeat(900)} ${'слово '.repeat(300)}🎉`
  const strange = { ...anInvoice, purpose: name, customer: { ...customer, name, address: name } }
  t.ok(readPdf(await printer.draw(strange)).pages >= 1)
})

t.test('more than can wait is refused, and what waits is printed', async (t) => {
  const asked = Array.from({ length: 8 }, () => printer.draw(anInvoice))
  const answers = await Promise.allSettled(asked)
  const refused = answers.filter((answer) => answer.status === 'rejected')
  t.equal(refused.length, 3, 'two are drawn, three wait')
  for (const { reason } of refused) t.match(reason, { name: 'Unavailable', reason: 'mailboxFull' })
  t.equal(readPdf(await printer.draw(anInvoice)).pages, 1, 'there is room again')
})

t.test('a printer that is stopped prints nothing', async (t) => {
  const other = new Printer()
  const begun = other.draw(aBill(2_000))
  await Promise.all([t.rejects(begun, /stopping/), other.stop()])
  await t.rejects(other.draw(anInvoice), /stopping/)
  await new Printer().stop()
})
