import type { Right } from '../../../../domain/staff-user.ts'
import type { Answer, Endpoint, Sent } from '../../../api/client.ts'
import type { plainTexts } from './texts.ts'

type Label = keyof (typeof plainTexts)['ru']

type NameOf<D extends Endpoint> = D extends `POST /admin/dictionary/${infer Name}_crud/` ? Name : never
/** The name of a dictionary of the server, as in `/admin/dictionary/<name>_crud/`. */
export type EndpointName = NameOf<Endpoint>

/** What a field is, which decides how it is typed, sent and shown. */
type Kind =
  | { readonly kind: 'text' | 'note' | 'flag' | 'money' | 'number' | 'secret' | 'moment' }
  | {
      readonly kind: 'choice'
      readonly options: readonly (readonly [value: string, label: Label])[]
      /** The values are numbers. */
      readonly isNumber?: true
      /** What an empty choice means; left out: there is none. */
      readonly none?: Label
    }
  | { readonly kind: 'folder' | 'organization' }

export type PlainField = Kind & {
  readonly name: string
  readonly label: Label
  readonly says?: Label
  readonly isRequired?: true
  readonly isReadOnly?: true
  /** Which of the columns it is in the list. Left out: it is only in the form. */
  readonly column?: 'first' | 'card' | 'usual' | 'extra'
}

export type Plain = {
  readonly endpoint: EndpointName
  readonly title: Label
  readonly add: Label
  readonly right: Right
  /** The records are of every organization. */
  readonly isShared?: true
  /** Only who sees all organizations may add one. */
  readonly isAddedByAll?: true
  readonly fields: readonly PlainField[]
  /** Records that may not be deleted, such as those the program knows by their number. */
  readonly isKept?: (record: PlainRecord) => boolean
  /** A refusal that its user may overrule, by sending the flag. */
  readonly overruled?: {
    readonly code: string
    readonly flag: string
    readonly asks: Label
    readonly says: Label
    readonly action: Label
  }
}

export type PlainRecord = Readonly<Record<string, unknown>> & { readonly id: number }

type Post<N extends EndpointName> = `POST /admin/dictionary/${N}_crud/`
type FieldOf<N extends EndpointName> = (keyof NonNullable<Sent<Post<N>>['body']> | keyof Answer<Post<N>>) & string

/**
 * A description whose fields are those that the endpoint takes or tells: an endpoint that changes breaks the types
 * here.
 */
export const plainOf = <N extends EndpointName>(
  endpoint: N,
  plain: Omit<Plain, 'endpoint' | 'fields'> & {
    readonly fields: readonly (PlainField & { readonly name: FieldOf<N> })[]
  },
): Plain => ({ endpoint, ...plain })
