import { QueryClient, QueryObserver } from '@tanstack/react-query'
import t from 'tap'

/** It is a script of browsers, so its types are not those of this program. */
const { follow, forget } = (await import(
  new URL('../../src/console/api/use-endpoint.ts', import.meta.url).href
)) as Record<'follow' | 'forget', (queries: QueryClient, doors: readonly string[]) => Promise<void>>

const door = 'GET /admin/jobs/'

/** A door that is shown on a screen. Each question waits for its answer; the signal tells that it was given up. */
function shown() {
  const questions: { readonly signal: AbortSignal; answer(text: string): void; refuse(): void }[] = []
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const screen = new QueryObserver<string>(queries, {
    queryKey: [door, {}],
    queryFn: ({ signal }) =>
      new Promise((resolve, reject) => {
        questions.push({ signal, answer: resolve, refuse: () => reject(new Error('no answer')) })
      }),
  })
  const leave = screen.subscribe(() => {})
  t.teardown(() => {
    leave()
    queries.clear()
  })
  const given = async (text: string) => {
    questions.at(-1)!.answer(text)
    await settled()
  }
  return { queries, questions, given, text: () => screen.getCurrentResult().data }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

t.test(
  'an answer that is on its way is shown, and asked for once more after all that happened meanwhile',
  async (t) => {
    for (const known of [false, true]) {
      const { queries, questions, given, text } = shown()
      if (known) {
        await given('of before')
        void follow(queries, [door])
        await settled()
      }
      const first = questions.length
      const heard: string[] = []
      const followed = ['one', 'two', 'three'].map((event) =>
        follow(queries, [door]).then(() => void heard.push(`${event} ${text()}`)),
      )
      await settled()
      t.equal(questions.length, first, 'nothing is asked beside it')
      await given('on its way')
      t.equal(text(), 'on its way')
      t.same([questions.length, heard], [first + 1, []], 'it is of the time before, so one more is asked for')
      await given('of after')
      await Promise.all(followed)
      t.same(heard, ['one of after', 'two of after', 'three of after'])
      t.equal(questions.length, first + 1)
      t.notOk(
        questions.some(({ signal }) => signal.aborted),
        'none was given up',
      )
    }
  },
)

t.test('what failed on its way is asked for once more as well', async (t) => {
  const { queries, questions, given, text } = shown()
  await given('of before')
  void follow(queries, [door])
  await settled()
  const followed = follow(queries, [door])
  questions.at(-1)!.refuse()
  await settled()
  await given('of after')
  await followed
  t.equal(text(), 'of after')
  t.equal(questions.length, 3)
})

t.test('after a write what is on its way is given up, unless a screen waits for its first answer', async (t) => {
  const { queries, questions, given, text } = shown()
  void follow(queries, [door])
  const first = forget(queries, [door])
  await settled()
  t.equal(questions.length, 1)
  await given('the first')
  await given('of before')
  await first
  void follow(queries, [door])
  const followed = follow(queries, [door])
  await settled()
  const forgotten = forget(queries, [door])
  await settled()
  t.equal(questions.length, 4)
  t.ok(questions[2]!.signal.aborted)
  t.equal(text(), 'of before')
  await given('of after')
  await Promise.all([forgotten, followed])
  t.equal(text(), 'of after')
  t.equal(questions.length, 4)
})

t.test('what nobody looks at is asked for when somebody does', async (t) => {
  const queries = new QueryClient()
  t.teardown(() => queries.clear())
  queries.setQueryData([door, {}], 'of before')
  await forget(queries, [door])
  t.ok(queries.getQueryState([door, {}])?.isInvalidated)
})
