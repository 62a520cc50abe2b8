export const accountPath = '/account/'
export const factorEndpoint = 'GET /admin/account/second_factor/'
export const passkeysEndpoint = 'GET /admin/account/passkeys/'
export const ownSessionsEndpoint = 'GET /admin/account/sessions/'

/** What a new second factor, or the end of one, makes untrue. */
export const outdatedByFactor = [factorEndpoint, passkeysEndpoint, ownSessionsEndpoint] as const
