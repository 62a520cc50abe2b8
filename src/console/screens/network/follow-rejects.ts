/** A network that was cut off is rejected all the time; a list of rejects is asked again at most so often. */
export const followMs = 3_000

export const isReject = ({ type }: { readonly type: string }): boolean => type === 'access.rejected'
