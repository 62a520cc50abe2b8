import { hash, timingSafeEqual } from 'node:crypto'

/** Compares what was sent with what is expected. Digests have one length, so the time taken tells nothing of either. */
export const isSameText = (sent: string, expected: string): boolean => timingSafeEqual(digest(sent), digest(expected))

const digest = (text: string): Buffer => hash('sha256', text, 'buffer')
