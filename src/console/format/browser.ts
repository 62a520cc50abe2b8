/** By what a User-Agent tells browsers apart: those that are made of others name these too, so they come first. */
const browsers: readonly (readonly [name: string, version: RegExp])[] = [
  ['Яндекс Браузер', /\bYaBrowser\/(\d+)/],
  ['Edge', /\bEdg(?:A|iOS)?\/(\d+)/],
  ['Opera', /\bOPR\/(\d+)/],
  ['Firefox', /\b(?:Firefox|FxiOS)\/(\d+)/],
  ['Chrome', /(?:\bCriOS|Chrome)\/(\d+)/],
  ['Safari', /\bVersion\/(\d+)\S* .*Safari\//],
]

const systems: readonly (readonly [name: string, sign: RegExp])[] = [
  ['Android', /\bAndroid\b/],
  ['iOS', /\b(?:iPhone|iPad)\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
]

const longest = 60

/** What a User-Agent says to people: `Chrome 156, Windows`. One that is no browser's is shown as it calls itself. */
export function browserOf(agent: string | null): string {
  if (agent === null) return ''
  for (const [name, version] of browsers) {
    const number = version.exec(agent)?.[1]
    if (number === undefined) continue
    const system = systems.find(([, sign]) => sign.test(agent))?.[0]
    return [`${name} ${number}`, system].filter((part) => part !== undefined).join(', ')
  }
  return agent.slice(0, longest)
}
