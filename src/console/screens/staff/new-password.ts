const signs = 'abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const length = 16

/** A password that nobody guesses, of signs that are not mistaken for each other. */
export const newPassword = (): string =>
  Array.from(crypto.getRandomValues(new Uint32Array(length)), (number) => signs[number % signs.length]).join('')
