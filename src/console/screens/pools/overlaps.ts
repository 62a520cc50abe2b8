/** The pools that have IPv4 addresses of a network as somebody types it. */
export function overlapping<Pool extends { readonly network: string }>(typed: string, pools: readonly Pool[]): Pool[] {
  const wanted = rangeOf(typed)
  if (!wanted) return []
  return pools.filter(({ network }) => {
    const range = rangeOf(network)
    return range !== null && range.first <= wanted.last && wanted.first <= range.last
  })
}

function rangeOf(network: string): { readonly first: number; readonly last: number } | null {
  const found = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\/(\d{1,2})$/.exec(network.trim())
  const [a, b, c, d, bits] = (found?.slice(1) ?? []).map(Number)
  if (bits === undefined || bits > 32) return null
  const size = 2 ** (32 - bits)
  const address = ((a! * 256 + b!) * 256 + c!) * 256 + d!
  const first = address - (address % size)
  return { first, last: first + size - 1 }
}
