import { plainTopics, type Topic } from './frames.ts'

/** The longest message of a client, which never contains more than a list of topics. */
export const messageBytesMax = 8 * 1024
export const topicsMax = 100
/** How many sessions a snapshot lists, unless the client wants fewer. */
export const sessionsShownMax = 500

/** The codes of `error` frames; clients may rely on them. */
export type MessageFault = 'not_json' | 'unknown_type' | 'bad_topics' | 'too_long'

export const messageFaultText = {
  not_json: 'A message is a JSON object in a text frame.',
  unknown_type: 'The type of a message is subscribe, unsubscribe, snapshot or ping.',
  bad_topics: `topics is a list of at most ${topicsMax} of ${plainTopics.join(', ')} and abonent:<id>.`,
  too_long: `A message has at most ${messageBytesMax} bytes.`,
} as const satisfies Record<MessageFault, string>

export type ClientMessage =
  /** `sessions`: how many of them snapshots list from now on; there may be none, beside how many there are. */
  | { kind: 'subscribe'; topics: readonly Topic[]; sessions?: number }
  | { kind: 'unsubscribe'; topics: readonly Topic[] }
  /** Without topics it means every topic that the client is subscribed to. */
  | { kind: 'snapshot'; topics: readonly Topic[] | null }
  | { kind: 'ping' }
  | { kind: 'wrong'; fault: MessageFault }

export function readClientMessage(text: string): ClientMessage {
  if (text.length > messageBytesMax) return { kind: 'wrong', fault: 'too_long' }
  const message = readObject(text)
  if (!message) return { kind: 'wrong', fault: 'not_json' }
  const { type } = message
  switch (type) {
    case 'ping':
      return { kind: 'ping' }
    case 'subscribe':
    case 'unsubscribe':
    case 'snapshot': {
      if (type === 'snapshot' && message.topics === undefined) return { kind: type, topics: null }
      const topics = readTopics(message.topics)
      if (topics === null) return { kind: 'wrong', fault: 'bad_topics' }
      const { sessions } = message
      return type === 'subscribe' && isCount(sessions) ? { kind: type, topics, sessions } : { kind: type, topics }
    }
    default:
      return { kind: 'wrong', fault: 'unknown_type' }
  }
}

/** The fields of a JSON object; null when the text is none. */
export function readObject(
  text: string,
): { type?: unknown; topics?: unknown; sessions?: unknown; token?: unknown } | null {
  try {
    const value: unknown = JSON.parse(text)
    return value !== null && typeof value === 'object' && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}

function readTopics(value: unknown): readonly Topic[] | null {
  if (!Array.isArray(value) || value.length === 0 || value.length > topicsMax) return null
  const topics = new Set<Topic>(value)
  return [...topics].every(isTopic) ? [...topics] : null
}

const isCount = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= sessionsShownMax

const isTopic = (value: unknown): value is Topic =>
  typeof value === 'string' &&
  ((plainTopics as readonly string[]).includes(value) || /^abonent:[1-9]\d{0,14}$/.test(value))
