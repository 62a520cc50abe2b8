/** Up to here a telephone: the rail is a drawer and tables are cards. The same width stands in the styles. */
export const narrowScreen = '(max-width: 48em)'
