/**
 * Up to here a telephone, be it held upright or sideways: the rail is a drawer and tables are cards. The same stands in
 * the styles.
 */
export const narrowScreen = '(max-width: 48em), (max-width: 64em) and (max-height: 30em)'

/** Where a field that takes the focus by itself would bring up the keyboard over what is to be read first. */
export const isNarrow = (): boolean => matchMedia(narrowScreen).matches
