export const source: string
export function digestOfSource(): string
