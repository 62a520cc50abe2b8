import { createContext, use } from 'react'

const Whose = createContext<string | null>(null)

/** Around the forms beside a card: whose card it is. */
export const WhoseProvider = Whose.Provider

/** Said in a form that covers the card, as it does on a telephone, so that nobody's money goes to somebody else. */
export const useWhose = (): string | null => use(Whose)
