/**
 * The spellings of a MAC address: twelve digits, alone or in groups of two, four or six with the same separator between
 * them. network/access/station.ts follows the same rules on the bytes of a packet; test/domain/mac.test.ts compares the
 * two.
 */
export const macSeparators = ':-. '

const spelling =
  /^(?:[\da-f]{12}|[\da-f]{2}([-:. ])(?:[\da-f]{2}\1){4}[\da-f]{2}|[\da-f]{4}([-:. ])[\da-f]{4}\2[\da-f]{4}|[\da-f]{6}[-:. ][\da-f]{6})$/i

/**
 * `aa:bb:cc:dd:ee:ff` from any spelling a NAS or a person uses, such as AA-BB-CC-DD-EE-FF or aabb.ccdd.eeff. Null for
 * anything else.
 */
export function normalMac(text: string): string | null {
  // Accounting calls this for every record, so a text of another length, such as a login, is rejected without a regular
  // expression.
  if (text.length < 12 || text.length > 17 || !spelling.test(text)) return null
  return text
    .toLowerCase()
    .replace(/[^\da-f]/g, '')
    .match(/../g)!
    .join(':')
}
