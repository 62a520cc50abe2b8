import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { atEndOfRoom } from '../runner/end-of-room.ts'
import { chromiumPath } from './chromium-path.ts'
import { freeTcpPort } from './free-port.ts'
import { slowedDown } from './slow-line.ts'
import { until } from './until.ts'

/** Only what never comes waits that long. */
const patienceMs = 180_000
/** So many characters of a page say what is wrong with it. */
const shownMost = 1_500

export type Visit = {
  readonly context: BrowserContext
  readonly page: Page
  /**
   * What a page, or the browser about it, complains of: errors in the console, which failed requests and what the
   * policy of the page stopped are too, exceptions and rejections that nobody caught. A test that leaves one fails.
   */
  readonly complaints: string[]
}

/** An interface of the machine came or went, and Chromium dropped what it was fetching; a frame's request it aborts. */
const networkChanged = /ERR_NETWORK_CHANGED/
const dropped = /ERR_NETWORK_CHANGED|ERR_ABORTED/
const gotosAtMost = 3

/**
 * Fewer processes, which talk less to each other, and pages that are painted plainly: a tenth of the CPU less. Pages of
 * different programs are of one site, 127.0.0.1, so they share a process anyway. What a page runs is never run often
 * enough to be worth the compilers that optimize it: without them it is another tenth less.
 */
const plainly = [
  ...['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  ...['--in-process-gpu', '--enable-features=NetworkServiceInProcess2', '--disable-site-isolation-trials'],
  ...['--renderer-process-limit=1', '--num-raster-threads=1', '--disable-smooth-scrolling', '--disable-lcd-text'],
  ...['--disable-composited-antialiasing', '--js-flags=--no-maglev,--no-turbofan'],
]

/**
 * The GPU's thread sets this variable to a path of its own while others read the environment. A new variable moves the
 * whole environment, and who reads it meanwhile crashes (one start of thousands, in `getenv`); one that is there already
 * is replaced in its place.
 */
const environmentThatStays = { VK_ICD_FILENAMES: '' }

let port: Promise<number> | null = null

/**
 * Of the program whose pages are visited: the same for all test files of this process, which run one after the other.
 * So Chromium has the scripts of the console, and what it has compiled of them, from the first file on.
 */
export const pagePort = (): Promise<number> => (port ??= freeTcpPort())

let browser: Promise<Browser> | null = null

/** To start Chromium costs more CPU than most tests with it, so all files of this process share one. */
function sharedBrowser(): Promise<Browser> {
  if (!browser) {
    browser = chromium.launch({
      executablePath: chromiumPath(),
      headless: true,
      args: plainly,
      env: { ...process.env, ...environmentThatStays },
      timeout: patienceMs,
    })
    // One that did not start is no reason for the files after this one to fail as well.
    browser.catch(() => (browser = null))
    atEndOfRoom(async () => (await browser)?.close())
  }
  return browser
}

type Teardown = {
  teardown(deed: () => unknown): unknown
  passing(): boolean
  comment(words: string): unknown
}
type IsExpected = (complaint: string) => boolean

/**
 * A page with cookies and storage of its own, gone when the test is through. `isPainted`: the whole of it is, for who
 * turns a wheel in it or takes its picture.
 */
export async function visit(
  t: Teardown,
  options: BrowserContextOptions,
  isExpected: IsExpected = () => false,
  isPainted = false,
): Promise<Visit> {
  const tab = await newTab(options)
  const { context, page, complaintsFor } = isPainted ? tab : await hardlyPainted(tab)
  const complaints = complaintsFor(isExpected)
  failByComplaints(t, complaints)
  t.teardown(() => context.close())
  tellWhenFailed(t, page)
  return { context, page, complaints }
}

/** Asked for before what else is left for the end of the test, so it comes after that. */
function failByComplaints(t: Teardown, complaints: readonly string[]): void {
  t.teardown(() => {
    if (complaints.length > 0) throw new Error(`The browser complains:\n${complaints.join('\n')}`)
  })
}

type Tab = Omit<Visit, 'complaints'> & {
  /** From now on what the page complains of goes into the list that this answers. */
  complaintsFor(isExpected: IsExpected): string[]
}

/** The tabs that nobody uses now, by their options. Several, because some tests have two at once. */
const emptied = new Map<string, Tab[]>()

/**
 * The same for a test that does nothing to the tab which a later one would notice: routes, cookies and storage are
 * cleared, but not sockets that are routed, scripts for every page, or emulated devices. Nor does it turn a wheel. A tab
 * that has shown a page before shows the next one for a third of the CPU, because it is a process that has compiled the
 * scripts.
 */
export async function visitAgain(
  t: Teardown,
  options: BrowserContextOptions,
  isExpected: IsExpected = () => false,
): Promise<Visit> {
  const key = JSON.stringify(options)
  const idle = emptied.get(key) ?? []
  emptied.set(key, idle)
  const tab = idle.pop() ?? (await hardlyPainted(await newTab(options)))
  const complaints = tab.complaintsFor(isExpected)
  failByComplaints(t, complaints)
  t.teardown(async () => {
    const isEmpty = await empty(tab).catch(() => false)
    if (isEmpty) idle.push(tab)
    else await tab.context.close()
  })
  tellWhenFailed(t, tab.page)
  return { ...tab, complaints }
}

/** Says of a test that has failed what its page shows instead of what the test waits for. */
function tellWhenFailed(t: Teardown, page: Page): void {
  t.teardown(async () => {
    if (t.passing() || page.isClosed()) return
    const shown = await page
      .evaluate<string>(`(document.querySelector('main') ?? document.body).innerText`)
      .catch(String)
    const lines = shown.split('\n').filter((line) => line.trim() !== '')
    t.comment(`The page was at ${page.url()} and showed: ${lines.join(' | ').slice(0, shownMost)}`)
  })
}

/**
 * A page is laid out for the whole viewport all the same, and no more than this is painted, because nobody looks. Only
 * the wheel of a mouse finds nothing to turn beyond it.
 */
async function hardlyPainted(tab: Tab): Promise<Tab> {
  const session = await tab.context.newCDPSession(tab.page)
  await session.send('Emulation.setVisibleSize', { width: 8, height: 8 })
  return tab
}

/** False when it is no longer there. */
async function empty({ context, page }: Tab): Promise<boolean> {
  if (page.isClosed()) return false
  for (const other of context.pages()) if (other !== page) await other.close()
  for (const routed of [page, context]) await routed.unrouteAll({ behavior: 'ignoreErrors' })
  await page.evaluate('localStorage.clear(); sessionStorage.clear()')
  // What the next page has there must not look pointed at.
  await page.mouse.move(0, 0)
  // Of the same site, because for about:blank Chromium takes another process; and from the program, because a page with
  // a route forgets the scripts and styles that it has fetched.
  await page.goto(new URL('/healthz', page.url()).href)
  await context.clearCookies()
  return true
}

async function newTab(options: BrowserContextOptions): Promise<Tab> {
  const context = await (await sharedBrowser()).newContext(options)
  context.setDefaultTimeout(patienceMs)
  const page = await context.newPage()
  goAgainWhenDropped(page)
  routeAtOnce(page)
  await slowedDown(page)
  let complaints: string[] = []
  let isExpected: IsExpected = () => false
  const hear = (complaint: string) => void (isExpected(complaint) || complaints.push(complaint))
  // Those of the whole context, because a page opens others.
  context.on('weberror', (error) => hear(String(error.error())))
  context.on('console', (message) => {
    const isIcon = /favicon/.test(message.location().url)
    const isOfPage = !isIcon && !networkChanged.test(message.text())
    if (message.type() === 'error' && isOfPage) hear(message.text())
  })
  const complaintsFor = (expected: IsExpected) => {
    complaints = []
    isExpected = expected
    return complaints
  }
  return { context, page, complaintsFor }
}

/** Of a request that was dropped nothing has been seen yet, so it is made again, as by who sits before the screen. */
function goAgainWhenDropped(page: Page): void {
  const goto = page.goto.bind(page)
  page.goto = async (...where) => {
    for (let left = gotosAtMost; ; left--)
      try {
        return await goto(...where)
      } catch (error) {
        if (left <= 1 || !dropped.test(String(error))) throw error
      }
  }
}

const probe = '/healthz?is-routed'
const isProbe = ({ href }: URL): boolean => href.endsWith(probe)

/**
 * What a page asks just after `route` may still leave it past the route, and Playwright then never tells of it: Chromium
 * answers before the page itself has heard. So `route` here waits until a question of the page has come to a route.
 */
function routeAtOnce(page: Page): void {
  const route = page.route.bind(page)
  page.route = async (...what) => {
    const routed = await route(...what)
    if (!page.url().startsWith('http')) return routed
    let isRouted = false
    await route(isProbe, (of) => {
      isRouted = true
      return of.fulfill({ body: '' })
    })
    await until(async () => {
      await page.evaluate(`fetch('${probe}').then((answer) => answer.text())`)
      return isRouted
    })
    await page.unroute(isProbe)
    return routed
  }
}
