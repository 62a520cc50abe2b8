import { browserOf } from '../format/browser.ts'

/** The browser of a session in words; all that it says of itself can be read too. */
export const Browser = ({ agent }: { readonly agent: string | null }) => (
  <span title={agent ?? undefined}>{browserOf(agent)}</span>
)
