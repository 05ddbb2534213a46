import { lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

const LOOPBACK_NAMES = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * True if a push may be sent to this address: https on an allowed host (PUSH-4), or a listed loopback host outside production,
 * also with plain http (PUSH-5). Any other address could make the server call internal addresses for a stranger.
 */
export function isAllowedEndpoint(endpoint: string, allowedHosts: readonly string[], production: boolean): boolean {
  // Endpoints that differ are different devices, so only characters are allowed that are stored and called unchanged.
  if (!/^[\x21-\x7e]+$/.test(endpoint) || !URL.canParse(endpoint)) return false;
  // `URL` converts every spelling of an IPv4 address (decimal, octal, hexadecimal) to dotted decimal.
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

/** Addresses that are not public (IANA's special-purpose registries). */
const INSIDE = new BlockList();
for (const [net, bits] of [
  ['0.0.0.0', 8] as const,
  ['10.0.0.0', 8] as const,
  ['100.64.0.0', 10] as const,
  ['127.0.0.0', 8] as const,
  ['169.254.0.0', 16] as const,
  ['172.16.0.0', 12] as const,
  ['192.0.0.0', 24] as const,
  ['192.0.2.0', 24] as const,
  ['192.88.99.0', 24] as const,
  ['192.168.0.0', 16] as const,
  ['198.18.0.0', 15] as const,
  ['198.51.100.0', 24] as const,
  ['203.0.113.0', 24] as const,
  ['224.0.0.0', 4] as const,
  ['240.0.0.0', 4] as const,
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

/** True if an address is public: not private, loopback, link-local, or the like. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !INSIDE.check(address, 'ipv4');
  const ipv4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (ipv4 !== undefined) return isPublicAddress(ipv4);
  return version === 6 && GLOBAL_IPV6.check(address, 'ipv6') && !NOT_GLOBAL_IPV6.check(address, 'ipv6');
}

/** True if all addresses of a name are public, because the connection may use any of them. */
export function areAllPublic(addresses: readonly { address: string }[]): boolean {
  return addresses.every(({ address }) => isPublicAddress(address));
}

/** The name of a push service resolves to an address that is not public; no push is sent there. */
export class InsideAddressError extends Error {
  override name = 'InsideAddressError';
}

/**
 * Resolves a push service's name for the connection itself, so that the checked address is the one that is called, even if the
 * name resolves differently each time (DNS rebinding).
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
