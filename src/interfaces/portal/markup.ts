import { escapeHtml } from '../../platform/http/reply.ts'

/** HTML that is safe to send as it is. */
export class Markup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export type Piece = Markup | string | number | false | null | undefined | readonly Piece[]

/** A template whose pieces are escaped unless they are markup themselves; false and null leave nothing. */
export const markup = (parts: TemplateStringsArray, ...pieces: readonly Piece[]): Markup =>
  new Markup(parts.reduce((text, part, at) => text + (at > 0 ? shown(pieces[at - 1]) : '') + part, ''))

function shown(piece: Piece): string {
  if (piece === false || piece === null || piece === undefined) return ''
  if (piece instanceof Markup) return piece.text
  if (typeof piece === 'object') return piece.map(shown).join('')
  return escapeHtml(String(piece))
}
