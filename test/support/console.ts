import type { BrowserContextOptions, Locator, Page } from 'playwright-core'
import type { Caller } from '../interfaces/admin-office.ts'
import { axeScript, knownLegible } from './axe-script.ts'
import { visit, visitAgain } from './chromium.ts'
import { until } from './until.ts'

export const desk = { viewport: { width: 1360, height: 850 } } as const
/** For whom forms and dialogs glide in and out, so that they are still there for a moment when they are closed. */
export const movingDesk = { ...desk, reducedMotion: 'no-preference' } as const
export const telephone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const

type Teardown = Parameters<typeof visit>[0]

/** That the server refuses what a test sends on purpose is no fault of the screen. */
export const isRefusal = (complaint: string): boolean => /status of 400/.test(complaint)

/** `isOwn`: a test does what visitAgain cannot undo; `isPainted`: in a tab of its own it turns a wheel. */
type ScreenOptions = BrowserContextOptions & { readonly isOwn?: boolean; readonly isPainted?: boolean }

/**
 * A browser in which somebody is signed in, on a screen of the console. Nothing moves in it unless `options` say so,
 * because each picture of something that moves costs CPU.
 */
export async function openScreen(
  t: Teardown,
  who: Caller,
  path: string,
  { isOwn = false, isPainted = false, ...options }: ScreenOptions = desk,
  isExpected?: (complaint: string) => boolean,
) {
  const usual = { locale: 'ru-RU', timezoneId: 'Asia/Vladivostok', reducedMotion: 'reduce' } as const
  const all = { ...usual, ...options }
  const visited = await (isOwn || isPainted ? visit(t, all, isExpected, isPainted) : visitAgain(t, all, isExpected))
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

/**
 * Until an expression is so in the page. Playwright's own `waitForFunction` evaluates a text anew in the page each time,
 * which its policy stops: it waits for what is so already.
 */
export const untilSo = (page: Page, expression: string): Promise<void> =>
  until(() => page.evaluate<boolean>(`Boolean(${expression})`))

/** Until a field has these words. A choice shows those of what was chosen only after it has been drawn. */
export const untilFilled = (field: Locator, words: string): Promise<void> =>
  until(async () => (await field.inputValue()) === words)

/**
 * The different questions that a screen asks a door from now on. One whose answer takes long is asked again with the
 * same words.
 */
export function questionsTo(page: Page, door: string): ReadonlySet<string> {
  const asked = new Set<string>()
  page.on('request', (request) => {
    if (request.url().includes(door)) asked.add(request.url())
  })
  return asked
}

/** Frames of screens, the head and the rail of places, in which this process has found nothing, by how they look. */
const soundFrames = new Set<string>()
/** What this process has seen to have enough contrast. */
const legible = new Set<string>()

/**
 * What axe-core finds serious or critical on the screen, each as `rule: element`. The frame is a third of its work, and
 * the same on all screens of one width and colour scheme, so it is looked at until nothing is found there. Contrasts
 * are half of it, and computed once of what is drawn alike.
 */
export async function seriousFaults(page: Page): Promise<string[]> {
  if (!(await page.evaluate(`'axe' in globalThis`))) {
    await bringAxe(page)
    await page.evaluate(knownLegible(legible))
  }
  const { places, look } = await page.evaluate<{ places: string | null; look: string }>(`({
    places: document.querySelector('nav')?.getAttribute('aria-label') ?? null,
    look: innerWidth + ' ' + document.documentElement.dataset.mantineColorScheme,
  })`)
  const frame = places === null ? null : `${look} ${places}`
  const isSound = frame !== null && soundFrames.has(frame)
  const found = await faultsOutside(page, isSound ? ['header:has(+ main)', `nav[aria-label="${places}"]`] : [])
  if (frame !== null && found.length === 0) soundFrames.add(frame)
  return found
}

/** The pages whose tab has axe-core. */
const withAxe = new WeakSet<Page>()

/**
 * The half megabyte of axe-core is sent once to a tab, which has it in each page that it loads; most of what it costs is
 * the way there. It is evaluated by the debugger, which no policy of the page stops.
 */
async function bringAxe(page: Page): Promise<void> {
  if (!withAxe.has(page)) {
    withAxe.add(page)
    const devtools = await page.context().newCDPSession(page)
    await devtools.send('Page.enable')
    await devtools.send('Page.addScriptToEvaluateOnNewDocument', {
      source: `globalThis.bringAxe = () => {${axeScript}}`,
      runImmediately: true,
    })
  }
  await page.evaluate('bringAxe()')
}

async function faultsOutside(page: Page, left: readonly string[]): Promise<string[]> {
  const { faults, looks } = await page.evaluate(async (selectors) => {
    // What fades in or out has less contrast for a moment, and so has a list until what it is asked for has come.
    type Moving = { readonly finished: Promise<unknown> }
    const { document, CSSTransition, requestAnimationFrame } = globalThis as unknown as {
      document: { getAnimations(): Moving[]; querySelector(selectors: string): object | null }
      CSSTransition: new () => Moving
      requestAnimationFrame(deed: (time: number) => void): void
    }
    while (document.querySelector('[data-stale]')) await new Promise(requestAnimationFrame)
    const fading = document.getAnimations().filter((one) => one instanceof CSSTransition)
    await Promise.allSettled(fading.map(({ finished }) => finished))
    type Found = { id: string; impact: string; nodes: { target: string[]; failureSummary: string }[] }
    const { axe, forgetLooks, leaveOut, newlyLegible } = globalThis as unknown as {
      forgetLooks(): void
      leaveOut(selectors: readonly string[]): () => void
      newlyLegible: string[]
      axe: {
        configure(options: object): void
        run(options: object): Promise<{ violations: Found[] }>
        _audit: { rules: { id: string; impact: string }[] }
      }
    }
    // Otherwise it writes down the source of everything that it looks at, which nobody reads.
    axe.configure({ noHtml: true })
    const isSerious = ({ impact }: { impact: string }) => impact === 'serious' || impact === 'critical'
    // What a rule finds is of the impact of the rule, so the others need not look.
    const others = axe._audit.rules.filter((rule) => !isSerious(rule)).map(({ id }) => [id, { enabled: false }])
    const takeIn = leaveOut(selectors)
    forgetLooks()
    const { violations } = await axe
      .run({ resultTypes: ['violations'], rules: Object.fromEntries(others) })
      .finally(takeIn)
    const faults = violations
      .filter(isSerious)
      .flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')} ${failureSummary}`),
      )
    return { faults, looks: newlyLegible.splice(0) }
  }, left)
  for (const look of looks) legible.add(look)
  return faults
}

/** By how many pixels the screen is wider than the window. */
export const overflow = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const { documentElement } = (
      globalThis as unknown as { document: { documentElement: { scrollWidth: number; clientWidth: number } } }
    ).document
    return documentElement.scrollWidth - documentElement.clientWidth
  })

/**
 * Words that the box about them cuts off, or that run out of it or out of the window, where nothing can be scrolled.
 * The screen itself is not scrolled sideways. What is meant to be short on a telephone says so by `line-clamp`.
 */
export const cutOff = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('body *')].flatMap((one) => {
    const unseen = '.mantine-VisuallyHidden-root, .narrow-cards thead, [aria-hidden="true"]'
    if (!one.innerText || one.closest(unseen)) return []
    const { overflowX, display, webkitLineClamp } = getComputedStyle(one)
    const isScreen = one.matches('main')
    if (display === 'inline' || webkitLineClamp !== 'none') return []
    if (/auto|scroll/.test(overflowX) && !isScreen) return []
    const isBox = isScreen || overflowX !== 'visible' || one.children.length === 0
    let around = one
    while (around && !/auto|scroll/.test(getComputedStyle(around).overflowX)) around = around.parentElement
    const isBeyond = !around && one.getBoundingClientRect().right > innerWidth + 1
    const isCut = isBox && one.scrollWidth > one.clientWidth + 1
    return isCut || isBeyond ? [one.tagName + ' ' + one.innerText.slice(0, 60)] : []
  })`)
