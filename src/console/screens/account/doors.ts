export const accountPath = '/account/'
export const factorDoor = 'GET /admin/account/second_factor/'
export const passkeysDoor = 'GET /admin/account/passkeys/'
export const ownSessionsDoor = 'GET /admin/account/sessions/'

/** What a new second factor, or the end of one, makes untrue. */
export const outdatedByFactor = [factorDoor, passkeysDoor, ownSessionsDoor] as const
