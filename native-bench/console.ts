import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { currentConsole } from '../test/support/built-console.ts'
import { chromiumPath } from '../test/support/chromium-path.ts'
import { RunningProgram } from '../test/support/program.ts'
import { alone, type Figure, figureAtMost, percentile } from './figures.ts'
import { missing } from './missing.ts'

/** How often each thing is done; the median counts. */
export type ConsoleOptions = { readonly rounds: number }

/** What a browser may have to fetch before somebody can work. */
const scriptKbMax = 300

/**
 * What an operator waits for in Chromium: the first screen with nothing kept, the same with everything kept, and a
 * change of screens, each to the painted frame with its heading. Beside it, in the same browser and by turns, a bare
 * page of a bare server, which is what Chromium itself takes for any page, and a link from it to another one.
 */
export async function measureConsole({ rounds }: ConsoleOptions): Promise<Figure[]> {
  currentConsole()
  const program = await new RunningProgram().start()
  const bare = await bareServer()
  try {
    const browser = await launched()
    try {
      return await compare(browser, program, bare.url, rounds)
    } finally {
      await browser.close()
    }
  } finally {
    bare.close()
    await program.stop()
    program.remove()
  }
}

async function launched(): Promise<Browser> {
  const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking']
  return await chromium.launch({ executablePath: chromiumPath(), args }).catch((error) => {
    throw /Executable doesn't exist/i.test(String(error)) ? missing('Chromium', 'chromium') : error
  })
}

type Sample = {
  readonly scriptKb: number
  readonly wholeKb: number
  readonly firstMs: number
  readonly againMs: number
  readonly routeMs: number
}

async function compare(browser: Browser, program: RunningProgram, bare: string, rounds: number): Promise<Figure[]> {
  const ours: Sample[] = []
  const theirs: Sample[] = []
  // The first round warms the server and is not counted.
  for (let round = 0; round <= rounds; round++) {
    const mine = await visited(
      browser,
      `${program.address.http}/admin/`,
      'nav a[href="/admin/subscribers/"]',
      program.session,
    )
    const plain = await visited(browser, bare, 'a')
    if (round === 0) continue
    ours.push(mine)
    theirs.push(plain)
  }
  const median = (samples: readonly Sample[], of: keyof Sample) =>
    percentile(
      samples.map((one) => one[of]),
      0.5,
    )
  const beside = (what: string, of: keyof Sample): Figure => ({
    what,
    unit: 'ms',
    ours: median(ours, of),
    peer: 'bare page',
    theirs: median(theirs, of),
  })
  return [
    alone('console: script of the first screen, compressed', 'KB', median(ours, 'scriptKb'), figureAtMost(scriptKbMax)),
    alone('console: all of the first screen, compressed', 'KB', median(ours, 'wholeKb')),
    beside('console: first screen, nothing kept', 'firstMs'),
    beside('console: first screen, everything kept', 'againMs'),
    beside('console: from a screen to another one', 'routeMs'),
  ]
}

/** Somebody comes for the first time, comes again, and goes on by a link. */
async function visited(browser: Browser, url: string, link: string, key: string | null = null): Promise<Sample> {
  const context = await browser.newContext({ viewport: { width: 1360, height: 850 } })
  if (key !== null) await context.addCookies([{ name: 'sessionid', value: key, url: new URL(url).origin }])
  try {
    const first = await opened(context, url)
    await first.page.close()
    const again = await opened(context, url)
    await again.page.locator(link).first().waitFor()
    const routeMs = await followed(again.page, link)
    await again.page.close()
    return { scriptKb: first.scriptKb, wholeKb: first.wholeKb, firstMs: first.ms, againMs: again.ms, routeMs }
  } finally {
    await context.close()
  }
}

async function opened(context: BrowserContext, url: string) {
  const page = await context.newPage()
  const bytes = { script: 0, whole: 0 }
  const counted: Promise<unknown>[] = []
  page.on('requestfinished', (request) => {
    counted.push(
      request.sizes().then(({ responseBodySize }) => {
        bytes.whole += responseBodySize
        if (request.resourceType() === 'script') bytes.script += responseBodySize
      }),
    )
  })
  await page.goto(url)
  await page.locator('h1').first().waitFor()
  // By the page's own clock, which begins with the navigation: Playwright's way there and back is not counted.
  const ms = Number(await page.evaluate(painted))
  await page.waitForLoadState('networkidle')
  await Promise.all(counted)
  return { page, ms, scriptKb: bytes.script / 1000, wholeKb: bytes.whole / 1000 }
}

/** When the largest part of what is to be seen first was painted. */
const painted = `new Promise((resolve) => {
  new PerformanceObserver((list) => {
    const entries = list.getEntries()
    resolve(entries[entries.length - 1].startTime)
  }).observe({ type: 'largest-contentful-paint', buffered: true })
})`

/** From the click to the frame in which the next heading stands. */
async function followed(page: Page, link: string): Promise<number> {
  const before = await page.locator('h1').first().innerText()
  const clickedMs = performance.now()
  await page.locator(link).first().click()
  await page.waitForFunction(
    `(() => { const title = document.querySelector('h1'); return title && title.innerText !== ${JSON.stringify(before)} })()`,
    null,
    { polling: 'raf' },
  )
  return performance.now() - clickedMs
}

/** Two pages with a heading and a link to each other. */
async function bareServer(): Promise<{ url: string; close(): void }> {
  const server = createServer((request, response) => {
    const isNext = request.url === '/next/'
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' })
    response.end(
      `<!doctype html><html lang="en"><title>Page</title><h1>${isNext ? 'Next' : 'First'}</h1><a href="${isNext ? '/' : '/next/'}">on</a>`,
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close: () => server.close() }
}
