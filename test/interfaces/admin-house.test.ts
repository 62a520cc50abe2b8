import t from 'tap'

type House = { whenNear(id: string, work: () => void): void }

/** The shared script runs in browsers; this much of one is enough to import and ask it. */
const { whenNear } = (await import(new URL('../../src/interfaces/admin/house/house.js', import.meta.url).href)) as House

type Entry = { isIntersecting: boolean }

t.test('the end of a list that went and came back while the page was busy has come near', async (t) => {
  let report: (entries: Entry[]) => void = () => {}
  const browser = globalThis as Record<string, unknown>
  browser.document = { getElementById: (id: string) => ({ id }) }
  browser.IntersectionObserver = class {
    constructor(look: typeof report) {
      report = look
    }
    observe() {}
  }
  t.teardown(() => {
    delete browser.document
    delete browser.IntersectionObserver
  })
  let calls = 0
  whenNear('more', () => calls++)
  report([{ isIntersecting: false }])
  t.equal(calls, 0)
  report([{ isIntersecting: false }, { isIntersecting: true }])
  t.equal(calls, 1)
  report([{ isIntersecting: true }, { isIntersecting: false }])
  t.equal(calls, 1)
})
