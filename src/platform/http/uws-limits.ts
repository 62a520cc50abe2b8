import { headBytesMax } from './transport.ts'

/** uWebSockets.js reads this variable once, when its binary is loaded, so this module must be imported before it. */
process.env.UWS_HTTP_MAX_HEADERS_SIZE ??= String(headBytesMax)
