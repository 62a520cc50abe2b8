import { Destinations } from '../../src/platform/outgoing/destinations.ts'
import { OutgoingHttp } from '../../src/platform/outgoing/outgoing-http.ts'

/** For servers of a test on the loopback. */
export const localDestinations = new Destinations(['127.0.0.0/8'])
export const localHttp = new OutgoingHttp(localDestinations)
