import { lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

const LOOPBACK_NAMES = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Whether a push may be sent to this address: https on a listed host. Outside production a loopback host may be listed
 * (as `127.0.0.1` or `localhost`); plain http is then accepted for it. Anything else could make the server call inside
 * addresses on a stranger's behalf.
 */
export function isAllowedEndpoint(endpoint: string, allowedHosts: readonly string[], production: boolean): boolean {
  // Two endpoints that differ are two devices: only characters that are stored and called exactly as they are.
  if (!/^[\x21-\x7e]+$/.test(endpoint) || !URL.canParse(endpoint)) return false;
  // The parser has brought every way to write an IPv4 address (decimal, octal, hexadecimal) to the dotted one.
  const { protocol, hostname, username, password, port } = new URL(endpoint);
  if (username !== '' || password !== '' || hostname.endsWith('.localhost')) return false;
  const listed = allowedHosts.some((host) => matchesHost(hostname, host));
  if (LOOPBACK_NAMES.has(hostname)) return listed && !production && (protocol === 'https:' || protocol === 'http:');
  return listed && protocol === 'https:' && port === '' && isIP(hostname.replace(/^\[|\]$/g, '')) === 0;
}

function matchesHost(hostname: string, pattern: string): boolean {
  if (pattern.startsWith('*.')) return hostname.endsWith(pattern.slice(1)) && hostname.length > pattern.length - 1;
  return hostname === pattern;
}

/** What is nobody's public address (IANA's special-purpose registries), with the ways to wrap an IPv4 address in IPv6. */
const INSIDE = new BlockList();
for (const [net, bits] of [
  ...[['0.0.0.0', 8] as const, ['10.0.0.0', 8] as const, ['100.64.0.0', 10] as const, ['127.0.0.0', 8] as const],
  ...[['169.254.0.0', 16] as const, ['172.16.0.0', 12] as const, ['192.0.0.0', 24] as const],
  ...[['192.0.2.0', 24] as const, ['192.88.99.0', 24] as const, ['192.168.0.0', 16] as const],
  ...[['198.18.0.0', 15] as const, ['198.51.100.0', 24] as const, ['203.0.113.0', 24] as const],
  ...[['224.0.0.0', 4] as const, ['240.0.0.0', 4] as const],
]) {
  INSIDE.addSubnet(net, bits, 'ipv4');
}
const GLOBAL_IPV6 = new BlockList();
GLOBAL_IPV6.addSubnet('2000::', 3, 'ipv6');
const NOT_GLOBAL_IPV6 = new BlockList();
for (const [net, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const) {
  NOT_GLOBAL_IPV6.addSubnet(net, bits, 'ipv6');
}

/** Whether an address, as the resolver gives it, is out on the internet: not private, loopback, link-local or the like. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !INSIDE.check(address, 'ipv4');
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return isPublicAddress(mapped);
  return version === 6 && GLOBAL_IPV6.check(address, 'ipv6') && !NOT_GLOBAL_IPV6.check(address, 'ipv6');
}

/** Whether all of a name's addresses are out on the internet: which of them is called is not ours to say. */
export function areAllPublic(addresses: readonly { address: string }[]): boolean {
  return addresses.every(({ address }) => isPublicAddress(address));
}

/** Where a name leads to an address inside: no push goes there, now or later. */
export class InsideAddressError extends Error {
  override name = 'InsideAddressError';
}

/**
 * Resolves a push service's name for the connection itself, so that the address that is checked is the one that is called,
 * however often the name changes its mind (DNS rebinding).
 */
export const lookupPublic: LookupFunction = (hostname, options, done) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return done(error, '', 0);
    if (LOOPBACK_NAMES.has(hostname) || areAllPublic(addresses)) {
      if (options.all === true) return done(null, addresses);
      return done(null, addresses[0]?.address ?? '', addresses[0]?.family ?? 0);
    }
    done(new InsideAddressError('The push service leads to an address that is not public.'), '', 0);
  });
};
