import { InfiniteQueryObserver, QueryClient } from '@tanstack/react-query'
import t from 'tap'

type Page = { readonly items: readonly string[]; readonly next_cursor: string | null }

/** They are scripts of browsers, so their types are not those of this program. */
const script = (path: string) => import(new URL(`../../src/console/${path}`, import.meta.url).href)
const { growByPage } = (await script('patterns/list/pages.ts')) as {
  readonly growByPage: (list: object) => Promise<void>
}
const { follow } = (await script('api/use-endpoint.ts')) as {
  readonly follow: (queries: QueryClient, doors: readonly string[]) => Promise<void>
}

const door = 'GET /admin/jobs/'
const settled = () => new Promise((resolve) => setImmediate(resolve))

/** A list on a screen, of which the first of two pages is shown. */
async function shown(t: { teardown(deed: () => unknown): unknown }) {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const rows = ['one', 'two']
  const questions: { readonly cursor: string | null; answer(): void }[] = []
  const list = new InfiniteQueryObserver<Page, Error, { pages: Page[] }, readonly unknown[], string | null>(queries, {
    queryKey: [door, 'list', {}],
    initialPageParam: null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    queryFn: ({ pageParam: cursor }) =>
      new Promise((resolve) => {
        const at = Number(cursor ?? 0)
        const answer = () =>
          resolve({ items: rows.slice(at, at + 1), next_cursor: rows[at + 1] ? String(at + 1) : null })
        questions.push({ cursor, answer })
      }),
  })
  const leave = list.subscribe(() => {})
  t.teardown(() => {
    leave()
    queries.clear()
  })
  const answer = async () => {
    questions.at(-1)!.answer()
    await settled()
  }
  await answer()
  const text = () =>
    list
      .getCurrentResult()
      .data?.pages.flatMap(({ items }) => items)
      .join()
  return { queries, rows, questions, list, answer, text }
}

t.test('the next page gives up what an event has asked for, which is asked for again behind it', async (t) => {
  for (const events of [1, 2]) {
    const { queries, rows, questions, list, answer, text } = await shown(t)
    t.equal(text(), 'one')
    const followed = Array.from({ length: events }, () => follow(queries, [door]))
    await settled()
    rows[0] = 'changed'
    const grown = growByPage(list.getCurrentResult())
    await settled()
    t.equal(questions.at(-1)!.cursor, '1', 'nobody waits longer for the next page')
    await answer()
    t.equal(text(), 'one,two')
    await answer()
    await answer()
    await Promise.all([grown, ...followed])
    t.equal(text(), 'changed,two')
    t.equal(questions.length, 5)
  }
})

t.test('where nothing was on its way, only the next page is asked for', async (t) => {
  const { questions, list, answer, text } = await shown(t)
  const grown = growByPage(list.getCurrentResult())
  await settled()
  await answer()
  await grown
  t.equal(text(), 'one,two')
  t.equal(questions.length, 2)
})
