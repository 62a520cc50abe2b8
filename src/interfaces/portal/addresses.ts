/** Paths of the portal that its pages link to. */
export const home = '/lk/'
export const payPath = '/lk/payments/pay/'
