/**
 * How a value is written. `hidden` is encrypted anew for each packet and `protocol` belongs to the exchange itself:
 * neither can be configured. The tag of RFC 2868 is given in the name, `Tunnel-Type:1`.
 */
export type AttributeKind =
  | 'text'
  | 'octets'
  | 'integer'
  | 'date'
  | 'ipv4'
  | 'ipv6'
  | 'ipv6Prefix'
  | 'interfaceId'
  | 'taggedText'
  | 'taggedInteger'
  | 'hidden'
  | 'protocol'

/** Number, name, kind. Two names may share a number; the first is the one we show. */
type DictionaryEntry = readonly [number, string, AttributeKind]

export type Dictionary = {
  attributes: readonly DictionaryEntry[]
  /** Names of integer values, per attribute. */
  values: Readonly<Record<string, Readonly<Record<string, number>>>>
}
