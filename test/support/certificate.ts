import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** `certificate.pem`, signed by itself, and `key.pem` in a folder; openssl makes them. */
export async function makeCertificate(folder: string, name: string): Promise<void> {
  const key = ['-nodes', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-keyout', 'key.pem']
  const request = ['req', '-x509', '-subj', `/CN=${name}`, '-out', 'certificate.pem', ...key]
  await promisify(execFile)('openssl', request, { cwd: folder })
}
