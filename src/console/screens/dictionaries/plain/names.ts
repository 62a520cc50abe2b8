/** The dictionaries whose records are nothing but their fields: one list and one form serve all of them. */
export const plainNames = [
  'organizations',
  'operation-types',
  'folders',
  'fields',
  'cards',
  'currencies',
  'video',
] as const

export type PlainName = (typeof plainNames)[number]

export const plainPath = (name: PlainName): string => `/dictionaries/${name}/`
