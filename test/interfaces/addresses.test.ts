import t from 'tap'
import { readIp } from '../../src/platform/formats/addresses.ts'

t.test('an IPv4 address written as IPv6 is that IPv4 address, so one NAS cannot be recorded twice', async (t) => {
  for (const spelling of ['::ffff:10.0.0.1', '::FFFF:10.0.0.1', '0:0:0:0:0:ffff:a00:1', '::ffff:a00:1']) {
    t.equal(readIp(spelling), '10.0.0.1', spelling)
  }
})

t.test('other addresses stay as they are written, and what is none is refused', async (t) => {
  for (const address of ['10.0.0.1', '2001:db8::1', '::1', '::']) t.equal(readIp(address), address)
  for (const text of ['', '10.0.0.256', 'fe80::1%eth0', '010.0.0.1', '10.0.0.1/8', '::ffff:10.0.0.300'])
    t.equal(readIp(text), null, text)
})
