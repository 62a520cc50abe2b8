const octet = '(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)'
const ipv4 = `${octet}(?:\\.${octet}){3}`
/** The server knows the rest, such as what the digits of an IPv6 address may be. */
const ipv6 = '[\\da-fA-F:.]*:[\\da-fA-F:.]*'
const length = '/\\d{1,3}'

const whole = (pattern: string) => {
  const form = new RegExp(`^(?:${pattern})$`)
  return (typed: string): boolean => form.test(typed.trim())
}

export const isIpv4 = whole(ipv4)
export const isIp = whole(`${ipv4}|${ipv6}`)
export const isNetwork = whole(`(?:${ipv4}|${ipv6})${length}`)
export const isIpv6Network = whole(`${ipv6}${length}`)
