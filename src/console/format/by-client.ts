/** Whether the author of a change is the client: in the portal, on a phone, or by the link of an e-mail. */
export const isClient = (user: string): boolean => /^(client|(portal|phone|e-mail) \d+)$/.test(user)
