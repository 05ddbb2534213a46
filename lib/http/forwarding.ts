import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

/**
 * Headers that say who called, for what, and as part of which request. Only a server that we trust may set them (EDGE-5): the id
 * of a request reaches the audit log, where outsiders must not choose the text.
 */
const HEADERS = [
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-proto',
  'x-request-id',
  'traceparent',
  'tracestate',
];
/** Proves that one of our servers without a fixed address may set them. */
const SECRET_HEADER = 'x-forwarding-secret';

/** The most addresses whose answers are remembered. */
const ANSWERS_MAX = 1000;

/** Words for ranges, the same as in Express and Fastify. */
const RANGES: Record<string, readonly string[]> = {
  none: [],
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

export interface Forwarding {
  /** True for the address of a trusted proxy. */
  isProxy(address: string | undefined): boolean;
  /** Removes these headers from the request of any other sender, before anything reads them. */
  clean(request: IncomingMessage): void;
}

/**
 * Decides whose `X-Forwarded-For` and `X-Request-Id` count: those of the proxies of TRUST_PROXY (addresses, ranges such as
 * 10.0.0.0/8, or the words loopback, linklocal, uniquelocal, none), and of servers that know FORWARDING_SECRET.
 * @throws {Error} for a list that cannot be parsed.
 */
export function createForwarding(proxies: string | undefined, secret: string | undefined): Forwarding {
  const list = new BlockList();
  for (const entry of (proxies ?? '').split(',').map((part) => part.trim())) {
    for (const range of RANGES[entry] ?? [entry]) addRange(list, range);
  }
  // Every request asks for the address of its connection, and comparing an address with ranges is slow.
  const answers = new Map<string, boolean>();
  const isProxy = (address = '') => {
    const answer = answers.get(address);
    if (answer !== undefined) return answer;
    const family = isIP(address);
    const isListed = family !== 0 && list.check(address, family === 4 ? 'ipv4' : 'ipv6');
    if (answers.size >= ANSWERS_MAX) answers.clear();
    answers.set(address, isListed);
    return isListed;
  };
  const expected = secret === undefined ? null : sha256(secret);
  return {
    isProxy,
    clean({ headers, socket }) {
      const secretHeader = headers[SECRET_HEADER];
      delete headers[SECRET_HEADER];
      if (isProxy(socket.remoteAddress)) return;
      if (expected !== null && typeof secretHeader === 'string' && timingSafeEqual(sha256(secretHeader), expected)) return;
      for (const name of HEADERS) if (name in headers) delete headers[name];
    },
  };
}

/** Adds the peer's address after those that earlier proxies named, as every proxy does. */
export function addOwnHop({ headers, socket }: IncomingMessage): void {
  const before = headers['x-forwarded-for']?.toString();
  const own = socket.remoteAddress?.replace(/^::ffff:(?=\d+\.)/, '');
  if (own) headers['x-forwarded-for'] = before ? `${before}, ${own}` : own;
}

function addRange(list: BlockList, range: string): void {
  if (range === '') return;
  const [address = '', bits, ...rest] = range.split('/');
  const family = isIP(address);
  const most = family === 4 ? 32 : 128;
  const length = bits === undefined ? most : Number(bits);
  if (family === 0 || rest.length > 0 || bits === '' || !Number.isInteger(length) || length < 1 || length > most) {
    throw new Error('TRUST_PROXY must name addresses, ranges such as 10.0.0.0/8, loopback, linklocal, uniquelocal or none.');
  }
  list.addSubnet(address, length, family === 4 ? 'ipv4' : 'ipv6');
}

function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
