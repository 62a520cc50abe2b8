/**
 * node:http without what comes with an `import` of it, which reads everything that it exports: for its WebSocket Node
 * loads all of `fetch` and HTTP/2, which nothing that starts needs.
 */
export const http = process.getBuiltinModule('node:http')
