/** A MAC address in any spelling that the server reads (domain/mac.ts). */
export const isMac = (text: string): boolean =>
  /^(?:[\da-f]{12}|[\da-f]{2}([-:. ])(?:[\da-f]{2}\1){4}[\da-f]{2}|[\da-f]{4}([-:. ])[\da-f]{4}\2[\da-f]{4}|[\da-f]{6}[-:. ][\da-f]{6})$/i.test(
    text.trim(),
  )
