/**
 * How a value is written. The tag of RFC 2868 is given in the name, `Tunnel-Type:1`. A `container` holds other
 * attributes and has no value of its own. Those of `hidden` and `protocol` belong to the exchange itself and cannot be
 * configured.
 */
export type AttributeKind =
  | 'text'
  | 'octets'
  | 'integer'
  | 'integer64'
  | 'signed'
  | 'short'
  | 'byte'
  | 'date'
  | 'ipv4'
  | 'ipv4Prefix'
  | 'ipv6'
  | 'ipv6Prefix'
  | 'anyIp'
  | 'interfaceId'
  | 'ether'
  | 'taggedText'
  | 'taggedInteger'
  | 'container'
  | 'hidden'
  | 'protocol'

/** How a vendor writes the head of its attributes: octets of the type and of the length, and WiMAX's octet of flags. */
export type VendorFormat = { readonly typeBytes: number; readonly lengthBytes: number; readonly hasFlags: boolean }

export const usualFormat: VendorFormat = { typeBytes: 1, lengthBytes: 1, hasFlags: false }

/** One attribute by its name. */
export type KnownAttribute = {
  name: string
  /** The number of the attribute itself, or of the outermost one that it stands in. */
  type: number
  /** Null for the attributes of the RFCs. */
  vendor: number | null
  /** The numbers of nested attributes below `type`, outermost first: TLVs, and the second number of RFC 6929. */
  nested: readonly number[]
  format: VendorFormat
  /** The attribute of RFC 6929 (241 to 246) that carries this one of a vendor, or null. */
  carrier: number | null
  kind: AttributeKind
  /** The octets that a value has, or null for any number. */
  length: number | null
  /** 1: as User-Password, 2: as Tunnel-Password. Such a value is encrypted anew for each packet. */
  encryption: 0 | 1 | 2
  /** A long value goes on in further attributes of the same number. */
  isSplit: boolean
  /** Names of integer values in lower case. */
  values: ReadonlyMap<string, number>
}
