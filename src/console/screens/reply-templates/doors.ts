export const templatesPath = '/network/templates/'
export const templatesDoor = 'GET /admin/dictionary/nas_templates_crud/'
export const templateDoor = 'GET /admin/dictionary/nas_templates_crud/{id}/'
/** What is built in, and the NAS with the template of each. */
export const builtInDoor = 'GET /admin/radius/templates_json/'
