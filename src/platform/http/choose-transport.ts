import { StartRefusal } from '../start-refusal.ts'
import type { Transport, TransportChoice } from './transport.ts'

/** A transport, and where it is node:http the reason for that; null where it is uWebSockets.js. */
export type ChosenTransport = { readonly transport: Transport; readonly reason: string | null }

/**
 * uWebSockets.js where its binary is for this version of Node, else node:http. Rejects with a StartRefusal where
 * uWebSockets.js is wanted and cannot be had.
 */
export async function chooseTransport(choice: TransportChoice): Promise<ChosenTransport> {
  if (choice === 'node') return await byNode('TOLLGATE_HTTP_SERVER=node')
  try {
    const { uwsTransport } = await import('./uws.ts')
    return { transport: uwsTransport, reason: null }
  } catch (error) {
    const reason = `uWebSockets.js has no binary for Node.js ${process.version} on ${process.platform} ${process.arch}`
    if (choice === 'uws')
      throw new StartRefusal(
        `TOLLGATE_HTTP_SERVER is uws, but ${reason} (${firstLine(error)}). Use Node.js 22, or leave the variable out: then node:http serves.`,
      )
    return await byNode(reason)
  }
}

async function byNode(reason: string): Promise<ChosenTransport> {
  const { nodeTransport } = await import('./node-http.ts')
  return { transport: nodeTransport, reason }
}

const firstLine = (error: unknown): string => String(error instanceof Error ? error.message : error).split('\n')[0]!
