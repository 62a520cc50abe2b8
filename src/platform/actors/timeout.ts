import type { Clock } from './clock.ts'

/** Like AbortSignal.timeout, by the clock. Cancel it when what it limits has ended. */
export function timeoutBy(clock: Clock, ms: number): { readonly signal: AbortSignal; cancel(): void } {
  const controller = new AbortController()
  const cancel = clock.after(ms, () => controller.abort(new DOMException('It took too long.', 'TimeoutError')))
  return { signal: controller.signal, cancel }
}
