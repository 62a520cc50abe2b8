/** Shorter logins are all much alike. */
const lengthMin = 4

/**
 * Whether somebody who sent `asked` may have meant the login `name`: the same but for case, spaces and a realm, or with
 * one sign wrong, missing, too many or swapped with the next.
 */
export function isNearLogin(asked: string, name: string): boolean {
  const [a, b] = [bare(asked), bare(name)]
  if (a === b) return a !== ''
  return b.length >= lengthMin && isOneSlip(a, b)
}

const bare = (login: string): string =>
  login
    .toLowerCase()
    .replace(/\s/g, '')
    .replace(/@.*$/, '')
    .replace(/^.*[\\/]/, '')

function isOneSlip(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false
  let from = 0
  while (from < a.length && a[from] === b[from]) from++
  const rest = (text: string, more: number) => text.slice(from + more)
  if (a.length !== b.length) return a.length > b.length ? rest(a, 1) === rest(b, 0) : rest(a, 0) === rest(b, 1)
  const isSwapped = a[from] === b[from + 1] && a[from + 1] === b[from]
  return rest(a, 1) === rest(b, 1) || (isSwapped && rest(a, 2) === rest(b, 2))
}
