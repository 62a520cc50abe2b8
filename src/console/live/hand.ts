const onRow = '[data-index] :is(button, input):hover'

/** Whether a hand is at a button or a mark of a row, which would be another row's if rows moved now. */
export const isHandOnRow = (): boolean =>
  // What a finger has touched counts as under it until it touches something else.
  matchMedia('(hover: hover)').matches && document.querySelector(onRow) !== null
