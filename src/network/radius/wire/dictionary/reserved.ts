import { microsoft, vendors } from '../attribute-types.ts'
import type { AttributeKind, KnownAttribute } from './entry.ts'

/** Passwords, challenges and what RFC 2865, 2869 and 3579 use to carry an exchange on, or to prove it. */
const protocolTypes: ReadonlySet<number> = new Set([3, 24, 26, 33, 60, 70, 79, 80, 84])
const userPassword = 2

const microsoftProtocol: ReadonlySet<number> = new Set([1, 2, 3, 4, 5, 6, 11, 25, 26, 27])
const microsoftKeys: ReadonlySet<number> = new Set([
  microsoft.chapMppeKeys,
  microsoft.mppeSendKey,
  microsoft.mppeRecvKey,
])

/** The kind of an attribute that only the program may write; null for one that an operator may configure. */
export function reservedKind({ vendor, type, nested, carrier }: KnownAttribute): AttributeKind | null {
  if (carrier !== null || nested.length > 0) return null
  if (vendor === null) return type === userPassword ? 'hidden' : protocolTypes.has(type) ? 'protocol' : null
  if (vendor !== vendors.microsoft) return null
  return microsoftKeys.has(type) ? 'hidden' : microsoftProtocol.has(type) ? 'protocol' : null
}
