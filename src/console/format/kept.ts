/** What a browser remembers of its user. Where it may not, as in a private window, nothing is remembered. */
const nameOf = (name: string): string => `tollgate.${name}`

/** `tab`: as long as the tab is open, also while its page is loaded anew. */
type Lasting = 'always' | 'tab'
const storeOf = (lasting: Lasting): Storage => (lasting === 'tab' ? sessionStorage : localStorage)

export function readKept(name: string, lasting: Lasting = 'always'): string | null {
  try {
    return storeOf(lasting).getItem(nameOf(name))
  } catch {
    return null
  }
}

export function writeKept(name: string, value: string, lasting: Lasting = 'always'): void {
  try {
    storeOf(lasting).setItem(nameOf(name), value)
  } catch {
    // Full or forbidden: the choice lasts until the page is left.
  }
}

export function forgetKept(name: string, lasting: Lasting = 'always'): void {
  try {
    storeOf(lasting).removeItem(nameOf(name))
  } catch {
    // It was never written there either.
  }
}
