import t from 'tap'
import { RateLimit } from '../../src/interfaces/mobile/rate.ts'
import { details, refusals } from '../../src/interfaces/mobile/words.ts'
import { preferredLanguage } from '../../src/platform/http/languages.ts'

t.test('30 requests in any minute, and one more for each that is a minute ago', async (t) => {
  const limit = new RateLimit()
  for (let n = 0; n < 30; n++) t.match(limit.take('ivan', n * 1000), { isAllowed: true, remaining: 29 - n })
  t.match(limit.take('ivan', 59_999), { isAllowed: false, remaining: 0, freeAtMs: 60_000 })
  t.match(limit.take('anna', 59_999), { isAllowed: true, remaining: 29 })
  t.match(limit.take('ivan', 60_000), { isAllowed: true, remaining: 0 })
  t.match(limit.take('ivan', 60_500), { isAllowed: false, freeAtMs: 61_000 })
  for (let n = 0; n < 500; n++) limit.take('ivan', 60_600)
  t.match(limit.take('ivan', 61_000), { isAllowed: true }, 'refused requests do not count')
  t.match(limit.take('ivan', 500_000), { isAllowed: true, remaining: 29 })
})

t.test('a clock that is set back locks nobody out', async (t) => {
  const limit = new RateLimit()
  for (let n = 0; n < 30; n++) limit.take('ivan', 1_000_000)
  t.match(limit.take('ivan', 1_000), { isAllowed: true })
})

t.test('who was seen longest ago is forgotten first', async (t) => {
  const limit = new RateLimit({ requestsMax: 2, windowMs: 60_000, entriesMax: 2 })
  limit.take('a', 1)
  limit.take('b', 2)
  limit.take('a', 3)
  limit.take('c', 4)
  t.match(limit.take('a', 5), { isAllowed: false })
  t.match(limit.take('b', 6), { remaining: 1 })
})

t.test('the language is the one of ours that is wanted most', async (t) => {
  for (const [header, language] of [
    ['', 'ru'],
    ['en', 'en'],
    ['en-US,en;q=0.9,ru;q=0.8', 'en'],
    ['ru;q=0.3, en;q=0.7', 'en'],
    ['de, fr;q=0.9', 'ru'],
    ['de, en;q=0.1', 'en'],
    ['EN-gb', 'en'],
    ['en;q=0', 'ru'],
    ['*', 'ru'],
    [',;;q=,', 'ru'],
  ] as const)
    t.equal(preferredLanguage(header), language, header)
})

t.test('every text is there in both languages, with the same places in it', async (t) => {
  const places = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).sort()
  const english = { ...refusals.en, ...details.en }
  for (const [code, ru] of Object.entries({ ...refusals.ru, ...details.ru })) {
    const en = english[code as keyof typeof english]
    t.same(places(ru), places(en), code)
    t.match(ru, /[а-я]/, code)
    t.notMatch(en, /[а-я]/, code)
  }
})
