export const templatesPath = '/network/templates/'
export const templatesEndpoint = 'GET /admin/dictionary/nas_templates_crud/'
export const templateEndpoint = 'GET /admin/dictionary/nas_templates_crud/{id}/'
/** What is built in, and the NAS with the template of each. */
export const builtInEndpoint = 'GET /admin/radius/templates_json/'
