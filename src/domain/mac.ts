const spellings = [
  /^(?:[0-9a-f]{2}([:-]))(?:[0-9a-f]{2}\1){4}[0-9a-f]{2}$/,
  /^(?:[0-9a-f]{4}([.:-]))[0-9a-f]{4}\1[0-9a-f]{4}$/,
  /^[0-9a-f]{6}[-:]?[0-9a-f]{6}$/,
]

const usual = /^[0-9a-f]{2}([:-])(?:[0-9a-f]{2}\1){4}[0-9a-f]{2}$/i

/**
 * `aa:bb:cc:dd:ee:ff` from any spelling a NAS or a person uses: AA-BB-CC-DD-EE-FF, aabb.ccdd.eeff, aabb-ccdd-eeff,
 * aabbcc-ddeeff, AABBCCDDEEFF. Null for anything else.
 */
export function normalMac(text: string): string | null {
  if (text.length < 12 || text.length > 17) return null
  if (usual.test(text)) return text.toLowerCase().replaceAll('-', ':')
  const lower = text.toLowerCase()
  if (!spellings.some((spelling) => spelling.test(lower))) return null
  const digits = lower.replaceAll(/[^0-9a-f]/g, '')
  return digits.match(/../g)!.join(':')
}
