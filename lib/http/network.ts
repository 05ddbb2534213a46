import { isIPv6 } from 'node:net';

/**
 * The address by which a caller is counted: an IPv4 address itself, and the /64 of an IPv6 address, because a customer has a
 * whole one and may choose another address for each request (RFC 6177).
 */
export function networkOf(ip: string): string {
  const ipv4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1];
  if (ipv4 !== undefined) return ipv4;
  if (!isIPv6(ip)) return ip;
  const [address = ''] = ip.split('%', 1);
  const [head = '', tail] = address.split('::');
  const groups = groupsOf(head);
  const after = groupsOf(tail ?? '');
  const missing = Math.max(0, 8 - groups.length - after.length);
  const whole = tail === undefined ? groups : [...groups, ...Array<string>(missing).fill('0'), ...after];
  return `${whole
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}

/** An IPv4 address at the end counts as two groups. */
function groupsOf(part: string): string[] {
  return part === '' ? [] : part.split(':').flatMap((group) => (group.includes('.') ? ['0', '0'] : [group]));
}
