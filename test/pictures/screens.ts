import type { Page } from 'playwright-core'

type Screen = { readonly path: string; readonly within?: readonly Screen[] }

/** A picture to be made: its name, and the address of the screen behind `/admin` with names in place of parameters. */
export type Subject = { readonly name: string; readonly path: string }

/**
 * Of what the demo has no record: nobody has begun a run or imported a file there, who is shown has no service to be
 * taken, and who looks has no passkey.
 */
const leftOut: ReadonlySet<string> = new Set([
  '/subscribers/runs/$id',
  '/subscribers/import/runs/$id',
  '/subscribers/$id/services/take/$link',
  '/account/no-passkey/$id',
])

/** The list of the console's own screens. Its types are those of a browser, so it is read without them. */
export async function subjects(): Promise<Subject[]> {
  const file = new URL('../../src/console/screens.ts', import.meta.url)
  const { screens } = (await import(file.href)) as { screens: readonly Screen[] }
  return screens.flatMap((screen) => flattened('', screen)).filter(({ path }) => !leftOut.has(path))
}

/** A screen of which another one is the first tab leads there and has no looks of its own. */
function flattened(before: string, { path, within = [] }: Screen): Subject[] {
  const whole = `${before}${path}`.replace(/\/+$/, '')
  const hasFirst = within.some((one) => one.path === '/')
  const inner = within.filter((one) => one.path !== '/').flatMap((one) => flattened(whole, one))
  return hasFirst ? inner : [{ name: nameOf(whole), path: whole }, ...inner]
}

/** `/network/nas/$id/test` is `network-nas-card-test`. */
const nameOf = (path: string): string =>
  path
    .split('/')
    .filter((part) => part !== '')
    .map((part) => (part.startsWith('$') ? 'card' : part))
    .join('-') || 'summary'

/** Whose card is shown, where the first of the list would be a dull one: what is typed into the list's search. */
const wanted: Readonly<Record<string, string>> = {
  // Has a promise payment, a debt and a live session.
  '/subscribers/$': '?q=000083',
  // The staff has answered, and noted something for itself.
  '/tickets/$': '?show=open&last=staff',
}

/** Records that no link of a list leads to: the door that has them. */
const doors: readonly (readonly [list: RegExp, door: string])[] = [
  [/^\/subscribers\/(\d+)\/connection\/login$/, '/rest_api/v2/Users/?abonent=$1'],
  [/^\/subscribers\/(\d+)\/money\/reversal$/, '/rest_api/v2/FinanceOperations/?abonent=$1'],
  [/^\/money\/accounts\/(\d+)\/reversal$/, '/rest_api/v2/FinanceOperations/?account=$1'],
  [/^\/money\/(operations|payments)\/reversal$/, '/rest_api/v2/FinanceOperations/'],
]

/** Lists whose records have names in place of numbers. */
const named: ReadonlySet<string> = new Set([
  ...['/system/jobs', '/system/staff/roles', '/messages/templates', '/network/templates/built-in'],
])

/** Addresses that are no screens themselves: their records are links of another one. */
const within: Readonly<Record<string, string>> = { '/network/templates/built-in': '/network/templates' }

/**
 * Puts the first row of its list in place of each parameter of an address: `/network/nas/$id` is where the first link
 * to a NAS on `/network/nas/` leads. Null: the list has no row.
 */
export class Parameters {
  readonly #found = new Map<string, string | null>()
  readonly #page: Page
  readonly #base: string
  readonly #key: string

  /** `key` is that of the session of somebody who is signed in on the page. */
  constructor(page: Page, base: string, key: string) {
    this.#page = page
    this.#base = base
    this.#key = key
  }

  async fill(path: string): Promise<string | null> {
    const at = path.split('/').findIndex((part) => part.startsWith('$'))
    if (at < 0) return path
    const list = path.split('/').slice(0, at).join('/')
    if (!this.#found.has(list)) this.#found.set(list, await this.#firstOf(list))
    const value = this.#found.get(list)
    if (value === null || value === undefined) return null
    const parts = path.split('/')
    parts[at] = value
    return this.fill(parts.join('/'))
  }

  async #firstOf(list: string): Promise<string | null> {
    for (const [pattern, door] of doors) if (pattern.test(list)) return this.#firstAt(list.replace(pattern, door))
    const page = this.#page
    await page.goto(`${this.#base}/admin${within[list] ?? list}/${wanted[`${list}/$`] ?? ''}`)
    const prefix = `/admin${list}/`
    const links = page.locator(`main a[href^="${prefix}"]`)
    await links
      .first()
      .waitFor({ timeout: 60_000 })
      .catch(() => {})
    // Links that stand there from the beginning are none of the rows.
    await page.waitForLoadState('networkidle', { timeout: 60_000 }).catch(() => {})
    const paths = await links.evaluateAll((all) => all.map((one) => (one as unknown as { pathname: string }).pathname))
    const ids = paths.map((path) => path.slice(prefix.length).split('/')[0]!)
    // A form beside the list stands under its own word.
    return ids.find((id) => (named.has(list) ? id !== '' && id !== 'new' : /\d/.test(id))) ?? null
  }

  async #firstAt(door: string): Promise<string | null> {
    const answer = await this.#page.request.get(`${this.#base}${door}`, { headers: { 'X-Session-Hash': this.#key } })
    const { results = [] } = (await answer.json()) as { results?: readonly { readonly id: number }[] }
    return results[0] ? String(results[0].id) : null
  }
}
