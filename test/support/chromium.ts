import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'

/** Only what never comes waits that long. */
const patienceMs = 180_000

export type Visit = {
  readonly context: BrowserContext
  readonly page: Page
  /** What the page, or the browser about it, complains of. */
  readonly complaints: string[]
}

/** A page of a Chromium of its own, gone when the test is through. */
export async function visit(
  t: { teardown(deed: () => unknown): unknown },
  options: BrowserContextOptions,
  isExpected: (complaint: string) => boolean = () => false,
): Promise<Visit> {
  const browser: Browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    headless: true,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
    timeout: patienceMs,
  })
  t.teardown(() => browser.close())
  const context = await browser.newContext(options)
  context.setDefaultTimeout(patienceMs)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('console', (message) => {
    const isIcon = /favicon/.test(message.location().url)
    if (message.type() === 'error' && !isIcon && !isExpected(message.text())) complaints.push(message.text())
  })
  return { context, page, complaints }
}
