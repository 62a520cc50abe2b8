import { mkdirSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { currentConsole } from '../support/built-console.ts'
import { chromiumPath } from '../support/chromium-path.ts'
import { type DemoProgram, signIn, startDemo } from './demo-program.ts'
import { Parameters, type Subject, subjects } from './screens.ts'
import { writeList } from './list.ts'
import { toWebp } from './webp.ts'

/**
 * `npm run pictures [-- --only network] [--variants light-desk,dark-telephone] [--language en]`: starts the demo on free ports and makes
 * pictures of every screen of the console, light and dark, for a desk and a telephone: all of them in build/pictures,
 * those that documents show in docs/images. Ends with 1 when a screen shows an error, complains or is too wide.
 */
const { values } = parseArgs({
  options: {
    /** A regular expression of names. */
    only: { type: 'string', default: '' },
    variants: { type: 'string', default: 'light-desk,dark-desk,light-telephone,dark-telephone' },
    /** In another language than Russian they are kept out of the documents. */
    language: { type: 'string', default: 'ru' },
    /** Where a demo runs already; TOLLGATE_ADMIN_PASSWORD is its password then. */
    at: { type: 'string' },
  },
})

const everyPicture = 'build/pictures'
const kept = 'docs/images'
/** So many screens are kept in other variants too, for documents. */
const keptInAll = ['summary', 'subscribers', 'subscribers-card-overview', 'network-nas']
const isKept = values.language === 'ru'
const locale = isKept ? 'ru-RU' : 'en-GB'
const sizes = {
  desk: { viewport: { width: 1360, height: 850 } },
  telephone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
} as const

// Interrupted, it leaves no demo behind.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130))
currentConsole()
mkdirSync(everyPicture, { recursive: true })
mkdirSync(kept, { recursive: true })
const demo = values.at === undefined ? await startDemo() : null
const faults: string[] = []
try {
  await takeAll(demo ?? { http: values.at! })
} finally {
  await demo?.stop()
}
for (const fault of faults) process.stdout.write(`${fault}\n`)
process.exit(faults.length > 0 ? 1 : 0)

async function takeAll(program: Pick<DemoProgram, 'http'>): Promise<void> {
  const browser = await chromium.launch({
    executablePath: chromiumPath(),
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--lang=ru'],
  })
  try {
    const key = await signIn(browser, program.http)
    const found = await filled(await browser.newContext(sizes.desk), program.http, key)
    for (const variant of values.variants.split(',')) {
      const [scheme, size] = variant.split('-') as ['light' | 'dark', keyof typeof sizes]
      const context = await browser.newContext({ ...sizes[size], colorScheme: scheme, locale })
      await signedIn(context, program.http, key)
      for (const one of found) await take(context, `${program.http}/admin`, one, variant)
      await context.close()
    }
    if (values.only === '' && isKept) writeList(kept, found, keptInAll)
  } finally {
    await browser.close()
  }
}

function signedIn(context: BrowserContext, url: string, key: string): Promise<void> {
  return context.addCookies([
    { name: 'sessionid', value: key, url },
    { name: 'csrftoken', value: 'a'.repeat(64), url },
  ])
}

/** The screens to be taken, with the demo's own records in their addresses. */
async function filled(context: BrowserContext, base: string, key: string): Promise<Subject[]> {
  await signedIn(context, base, key)
  const parameters = new Parameters(await context.newPage(), base, key)
  const found: Subject[] = []
  for (const { name, path } of await subjects()) {
    if (!new RegExp(values.only).test(name)) continue
    const address = await parameters.fill(path)
    if (address === null) faults.push(`${name}: the demo has no record for ${path}`)
    else found.push({ name, path: address })
  }
  await context.close()
  return found
}

async function take(context: BrowserContext, base: string, { name, path }: Subject, variant: string): Promise<void> {
  const page = await context.newPage()
  const say = (fault: string) => faults.push(`${name} ${variant}: ${fault}`)
  page.on('pageerror', (error) => say(String(error)))
  page.on('console', (message) => void (message.type() === 'error' && say(message.text())))
  page.on('response', (answer) => void (answer.status() >= 400 && say(`${answer.status()} of ${answer.url()}`)))
  await page.goto(`${base}${path}/`)
  await settled(page).catch(() => say('it does not become quiet'))
  if ((await page.locator('main h1').count()) === 0) say('it has no heading')
  for (const text of await page.locator('main [role="alert"]').allInnerTexts()) say(`it says ${JSON.stringify(text)}`)
  const wider = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
  if (Number(wider) > 0) say(`it is ${wider} pixels too wide`)
  const picture = await page.screenshot({ animations: 'disabled', caret: 'hide' })
  writeFileSync(`${everyPicture}/${name}-${variant}${isKept ? '' : `-${values.language}`}.png`, picture)
  if (!isKept) return page.close()
  if (variant === 'light-desk') writeFileSync(`${kept}/${name}.webp`, await toWebp(page, picture))
  else if (keptInAll.includes(name)) writeFileSync(`${kept}/${name}-${variant}.webp`, await toWebp(page, picture))
  await page.close()
}

/** The screen is there, and nothing is asked for any more. */
async function settled(page: Page): Promise<void> {
  await page.locator('main h1').first().waitFor({ timeout: 60_000 })
  await page.waitForLoadState('networkidle', { timeout: 60_000 })
  await page
    .locator('main [class*="Skeleton"], main [aria-busy="true"]')
    .first()
    .waitFor({ state: 'detached', timeout: 60_000 })
  // A page that Chromium takes for covered draws no frame until its picture is made.
  await page.evaluate(`document.fonts.ready.then(() =>
    Promise.race([new Promise(requestAnimationFrame), new Promise((late) => setTimeout(late, 1_000))]))`)
}
