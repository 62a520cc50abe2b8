import type { Page } from 'playwright-core'

/** `SLOW_LINE=7 npm test -- …`: every page is on a slow line, where answers come late and out of turn by this seed. */
const seed = process.env.SLOW_LINE ?? ''

/** How long a question waits before it leaves, its answer when it has come, and a frame of a socket. */
const waits = { least: 25, most: 400 }

/** Puts a page on the slow line, where the run is on one. */
export async function slowedDown(page: Page): Promise<void> {
  if (seed !== '') await page.context().addInitScript(`(${slowLine})(${JSON.stringify({ seed, ...waits })})`)
}

/** Evaluated in the page. Frames keep their order, as they do on any line. */
const slowLine = `({ seed, least, most }) => {
  let state = [...seed + location.pathname].reduce((hash, sign) => Math.imul(hash ^ sign.charCodeAt(0), 0x01000193), 7)
  const waitMs = () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0
    return least + ((state >>> 8) / 2 ** 24) * (most - least)
  }
  const wait = () => new Promise((done) => setTimeout(done, waitMs()))
  const { fetch: ask, WebSocket } = globalThis
  globalThis.fetch = async (...asked) => {
    await wait()
    const answer = await ask(...asked)
    await wait()
    return answer
  }
  globalThis.WebSocket = class extends WebSocket {
    #lastAt = 0
    set onmessage(hear) {
      super.onmessage = (event) => {
        this.#lastAt = Math.max(this.#lastAt, performance.now() + waitMs())
        setTimeout(hear, this.#lastAt - performance.now(), event)
      }
    }
  }
}`
