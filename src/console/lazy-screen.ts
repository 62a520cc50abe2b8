import { type ComponentType, createElement } from 'react'
import { Refused } from './api/client.ts'

/** The script of a screen is not there any more: a new version of the program has other files. */
export class ScreenGone extends Error {}

/**
 * A screen whose script comes when somebody goes there. Where it does not come, the router shows why, and asks again at
 * the next try: without a connection the page that is there stays, and with it what was typed elsewhere.
 */
export function lazyScreen(load: () => Promise<{ readonly default: ComponentType }>) {
  let shown: ComponentType | null = null
  const Screen = () => (shown === null ? null : createElement(shown))
  Screen.preload = async (): Promise<void> => {
    shown ??= (await load().catch(whyNot)).default
  }
  return Screen
}

async function whyNot(cause: unknown): Promise<never> {
  const answer = await fetch('/healthz', { cache: 'no-store' }).catch(() => null)
  // Behind a balancer a program that is being restarted is its 502.
  if (answer === null || answer.status >= 500) throw new Refused(0, { code: 'no_answer' }, null)
  throw new ScreenGone(String(cause))
}

const reloadedAt = 'reloaded'

/** Loads the page anew for the files of the new version; once at an address, in case they are not there either. */
export function reloadOnce(): void {
  if (sessionStorage.getItem(reloadedAt) === location.href) return
  sessionStorage.setItem(reloadedAt, location.href)
  location.reload()
}
