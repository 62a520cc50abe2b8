import type { Locator, Page } from 'playwright-core'

const stopsMost = 150

/** Why the focus is not to be seen on the page now; null: it is. */
const unseen = `(() => {
  const element = document.activeElement
  if (element === document.body) return 'nothing has the focus'
  // A field that is drawn by a label or a track beside it, or by a frame around it, shows the focus there.
  const frame = element.closest('.mantine-MultiSelect-input')
  const places = [element, element.nextElementSibling, frame].filter((one) => one !== null)
  const drawn = places.map((one) => getComputedStyle(one))
  const isOutlined = drawn.some((style) => style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0)
  const brand = getComputedStyle(document.documentElement).getPropertyValue('--mantine-primary-color-filled')
  const probe = document.createElement('i')
  probe.style.color = brand
  document.body.append(probe)
  const isBordered = [drawn[0], drawn.at(-1)].some((style) => getComputedStyle(probe).color === style.borderTopColor)
  probe.remove()
  if (!isOutlined && !isBordered) return 'the focus is not seen on ' + element.outerHTML.slice(0, 200)
  const { top, bottom, height } = element.getBoundingClientRect()
  const isAway = height > 1 && (bottom <= 0 || top >= innerHeight)
  return isAway ? 'what has the focus is not in the window: ' + element.outerHTML.slice(0, 200) : null
})()`

const twoFrames = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))'

export const isFocused = (what: Locator): Promise<boolean> =>
  what.evaluate((element) => {
    const { document } = globalThis as unknown as { document: { activeElement: unknown } }
    return document.activeElement === element
  })

/** Presses Enter in a dialog once its button has the focus: before that, Enter presses again what opened the dialog. */
export async function enterInDialog(page: Page): Promise<void> {
  await page.getByRole('dialog').locator('button:focus').waitFor()
  await page.keyboard.press('Enter')
}

/** Goes from stop to stop by Tab until `what` has the focus, which is seen at every stop; otherwise it throws. */
export async function tabTo(page: Page, what: Locator): Promise<void> {
  await what.waitFor()
  for (let stops = 0; stops < stopsMost; stops++) {
    await page.keyboard.press('Tab')
    let fault: string | null = await page.evaluate(unseen)
    // What is drawn of it may come with the next frame.
    if (fault !== null) fault = await page.evaluate(`${twoFrames}.then(() => ${unseen})`)
    if (fault !== null) throw new Error(`After ${stops + 1} stops ${fault}.`)
    if (await isFocused(what)) return
  }
  throw new Error(`${what} is not reached by Tab.`)
}
