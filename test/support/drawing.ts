/** Draws whole numbers from 0 on and below a bound, the same ones for the same seed in every run. */
export function drawing(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 48271) % 2147483647
    return state % below
  }
}
