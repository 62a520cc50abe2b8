/**
 * Packages that no start needs. Each is loaded by who first asks for it, or once an installed program serves
 * (app/late-modules.ts). They are imported here alone: where an update has taken a file away, Node finds what it has
 * loaded only for the module that has imported it before.
 */
export const latePackages = {
  jose: () => import('jose'),
  nodemailer: () => import('nodemailer'),
  webAuthn: () => import('@simplewebauthn/server'),
  webAuthnHelpers: () => import('@simplewebauthn/server/helpers'),
}
