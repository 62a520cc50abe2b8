/** How long a hand counts as busy with a list after it was last seen there, and one that rests at what it may press. */
const busyMs = { moved: 5_000, resting: 60_000 } as const

const pressable = '[data-index] :is(button, input):hover'

/** The list that a hand was last seen at, by the endpoint that it shows, and when; null: it is elsewhere since. */
let seen: { readonly list: string; readonly atMs: number } | null = null

/** Where the pointer was last. Browsers tell of moves also where only what is under it has moved. */
let place = ''

function see(list: Element | null | undefined): void {
  const name = list?.getAttribute('data-list')
  seen = name ? { list: name, atMs: Date.now() } : null
}

const rowOf = (target: EventTarget | null) => (target instanceof Element ? target.closest('[data-index]') : null)

function seeMove({ target, screenX, screenY }: PointerEvent | MouseEvent): void {
  const now = `${screenX} ${screenY}`
  if (now === place) return
  place = now
  see(rowOf(target)?.closest('[data-list]'))
}

/** Rows scroll in their list, and on a low screen the list in the screen. */
function seeScroll({ target }: Event): void {
  const list = target instanceof Element && (target.closest('[data-list]') ?? target.querySelector('[data-list]'))
  if (list) see(list)
}

/** To be called once, before the first screen. */
export function watchHand(): void {
  const early = { capture: true, passive: true }
  document.addEventListener('pointermove', seeMove, early)
  document.addEventListener('pointerdown', ({ target }) => see(rowOf(target)?.closest('[data-list]')), early)
  document.addEventListener('scroll', seeScroll, early)
  // Who types is not about to press what the pointer was left at.
  document.addEventListener('keydown', () => see(null), early)
}

/** The endpoint of the list whose rows may not move now, since what a hand is about to press would be another row's. */
export function listUnderHand(): string | null {
  if (seen === null) return null
  // What a finger has touched counts as under it until it touches something else.
  const isResting = matchMedia('(hover: hover)').matches && document.querySelector(pressable) !== null
  return Date.now() - seen.atMs < (isResting ? busyMs.resting : busyMs.moved) ? seen.list : null
}
