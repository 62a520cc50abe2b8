/** The tabs of the card in their order: a part of the address, and the name of a text. The first opens by itself. */
export const tabs = ['overview', 'connection', 'money', 'services', 'tickets', 'messages', 'documents', 'log'] as const
