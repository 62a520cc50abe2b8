import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'
import type { BrowserContextOptions, Page } from 'playwright-core'
import type { Caller } from '../interfaces/admin-office.ts'
import { visit, visitAgain } from './chromium.ts'

export const desk = { viewport: { width: 1360, height: 850 } } as const
/** For whom forms and dialogs glide in and out, so that they are still there for a moment when they are closed. */
export const movingDesk = { ...desk, reducedMotion: 'no-preference' } as const
export const telephone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const

type Teardown = { teardown(deed: () => unknown): unknown }

/** That the server refuses what a test sends on purpose is no fault of the screen. */
export const isRefusal = (complaint: string): boolean => /status of 400/.test(complaint)

/** `isOwn`: a test does what visitAgain cannot undo. */
type ScreenOptions = BrowserContextOptions & { readonly isOwn?: boolean }

/**
 * A browser in which somebody is signed in, on a screen of the console. Nothing moves in it unless `options` say so,
 * because each picture of something that moves costs CPU.
 */
export async function openScreen(
  t: Teardown,
  who: Caller,
  path: string,
  { isOwn = false, ...options }: ScreenOptions = desk,
  isExpected?: (complaint: string) => boolean,
) {
  const open = isOwn ? visit : visitAgain
  const usual = { locale: 'ru-RU', timezoneId: 'Asia/Vladivostok', reducedMotion: 'reduce' } as const
  const visited = await open(t, { ...usual, ...options }, isExpected)
  await visited.context.addCookies([
    { name: 'sessionid', value: who.key, url: who.base },
    { name: 'csrftoken', value: 'a'.repeat(64), url: who.base },
  ])
  await visited.page.goto(`${who.base}/admin${path}`)
  await visited.page.locator('main h1').first().waitFor()
  return visited
}

/** Goes to another screen as a link does, so without loading the console anew. */
export const follow = (page: Page, path: string): Promise<void> =>
  page.evaluate((to) => {
    const { history } = globalThis as unknown as {
      history: { pushState(state: object, title: string, url: string): void }
    }
    history.pushState({}, '', to)
  }, `/admin${path}`)

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Frames of screens, the head and the rail of places, in which this process has found nothing, by how they look. */
const soundFrames = new Set<string>()

/**
 * What axe-core finds serious or critical on the screen, each as `rule: element`. The frame is a third of its work, and
 * the same on all screens of one width and colour scheme, so it is looked at until nothing is found there.
 */
export async function seriousFaults(page: Page): Promise<string[]> {
  // Evaluated by the debugger, which no policy of the page stops.
  if (!(await page.evaluate(`'axe' in globalThis`))) await page.evaluate(`${axe};${alikeRows}`)
  const { places, look } = await page.evaluate<{ places: string | null; look: string }>(`({
    places: document.querySelector('nav')?.getAttribute('aria-label') ?? null,
    look: innerWidth + ' ' + document.documentElement.dataset.mantineColorScheme,
  })`)
  const frame = places === null ? null : `${look} ${places}`
  const isSound = frame !== null && soundFrames.has(frame)
  const found = await faultsOutside(page, isSound ? ['header', `nav[aria-label="${places}"]`] : [])
  if (frame !== null && found.length === 0) soundFrames.add(frame)
  return found
}

/**
 * Elements in which axe-core would find what it finds in another: of rows beside each other that differ in their words
 * alone, all but the first.
 */
const alikeRows = `globalThis.alikeRows = () => {
  const isWords = (text) => (text.trim() === '' ? '' : 'words')
  const words = /^(id|href|name|value|title|data-index|aria-label)$/
  const references = /^(for|aria-(labelledby|describedby|controls))$/
  const meaningOf = ({ name, value }) => {
    if (words.test(name)) return name + isWords(value)
    if (!references.test(name)) return name + '=' + value
    return name + value.split(' ').every((id) => document.getElementById(id) !== null)
  }
  const lookOf = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return isWords(node.data)
    if (node.nodeType !== Node.ELEMENT_NODE) return ''
    const own = [node.tagName, node.checked, ...Array.from(node.attributes, meaningOf)]
    return '<' + own.join(' ') + '>' + Array.from(node.childNodes, lookOf).join('') + '</>'
  }
  const looks = new Map()
  return [...document.querySelectorAll('tr, li, [role=option]')].filter((row) => {
    const known = looks.get(row.parentNode) ?? new Set()
    const look = lookOf(row) + row.matches(':hover, :focus-within')
    if (known.has(look)) return true
    looks.set(row.parentNode, known.add(look))
    return false
  })
}`

function faultsOutside(page: Page, left: readonly string[]): Promise<string[]> {
  return page.evaluate(async (selectors) => {
    // What fades in or out has less contrast for a moment.
    type Moving = { readonly finished: Promise<unknown> }
    const { document, CSSTransition } = globalThis as unknown as {
      document: { getAnimations(): Moving[] }
      CSSTransition: new () => Moving
    }
    const fading = document.getAnimations().filter((one) => one instanceof CSSTransition)
    await Promise.allSettled(fading.map(({ finished }) => finished))
    type Found = { id: string; impact: string; nodes: { target: string[]; failureSummary: string }[] }
    const { axe, alikeRows } = globalThis as unknown as {
      alikeRows(): object[]
      axe: {
        configure(options: object): void
        run(context: object, options: object): Promise<{ violations: Found[] }>
        _audit: { rules: { id: string; impact: string }[] }
      }
    }
    // Otherwise it writes down the source of everything that it looks at, which nobody reads.
    axe.configure({ noHtml: true })
    const isSerious = ({ impact }: { impact: string }) => impact === 'serious' || impact === 'critical'
    // What a rule finds is of the impact of the rule, so the others need not look.
    const others = axe._audit.rules.filter((rule) => !isSerious(rule)).map(({ id }) => [id, { enabled: false }])
    const exclude = [...selectors.map((selector) => [selector]), ...alikeRows()]
    const { violations } = await axe.run(
      { exclude },
      { resultTypes: ['violations'], rules: Object.fromEntries(others) },
    )
    return violations
      .filter(isSerious)
      .flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')} ${failureSummary}`),
      )
  }, left)
}

/** By how many pixels the screen is wider than the window. */
export const overflow = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const { documentElement } = (
      globalThis as unknown as { document: { documentElement: { scrollWidth: number; clientWidth: number } } }
    ).document
    return documentElement.scrollWidth - documentElement.clientWidth
  })
