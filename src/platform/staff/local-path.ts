/**
 * The path to open after the sign-in; /admin/ in place of `//host` and `/\host`, which browsers take for another host.
 */
export function localPath(next: string): string {
  const base = 'http://here.invalid'
  if (!/^\/(?![/\\])/.test(next) || !URL.canParse(next, base)) return '/admin/'
  const url = new URL(next, base)
  return url.origin === base && !url.pathname.startsWith('//') ? `${url.pathname}${url.search}` : '/admin/'
}
