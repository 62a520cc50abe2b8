import { setTimeout as pause } from 'node:timers/promises'

/** Looks every 20 ms whether it is so. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await pause(20)
}
