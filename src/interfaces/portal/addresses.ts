/** Where the client's pages are, for links among them. */
export const home = '/lk/'
export const payPath = '/lk/payments/pay/'
