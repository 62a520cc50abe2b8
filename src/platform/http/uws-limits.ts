/**
 * uWebSockets.js reads this variable once, when its binary is loaded, so this module must be imported before it. The
 * default of 4 KiB for the request line and all headers is too small for a REST list with many filters.
 */
process.env.UWS_HTTP_MAX_HEADERS_SIZE ??= '16384'
