import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { after, describe, test } from 'node:test';
import { publicRoute } from '../guards.ts';
import { createHttpServer, listen } from '../http-server.ts';
import { createLog } from '../log.ts';
import { addOwnHop, createForwarding } from './forwarding.ts';

const SECRET = 'a secret that the web server knows as well';

/** The caller's address as a server with these settings sees it. */
async function asker(settings: { trustProxy?: string; forwardingSecret?: string }) {
  const app = await createHttpServer({
    log: createLog('test', 'silent'),
    sendError: (_error, _request, reply) => reply.code(500).send(),
    ...settings,
  });
  after(() => app.close());
  app.get('/', { config: { guard: publicRoute('a test') } }, ({ ip, host, protocol, headers }) => ({
    ip,
    host: host.replace(/:\d+$/, ''),
    protocol,
    secret: headers['x-forwarding-secret'],
    forwarding: Object.keys(headers).filter((name) => /^(x-)?forwarded/.test(name)),
  }));
  const address = `http://127.0.0.1:${await listen(app, '127.0.0.1', 0)}/`;
  return async (headers: Record<string, string>) =>
    (await (await fetch(address, { headers })).json()) as typeof OWN & { secret?: string };
}

const FORGED = {
  'x-forwarded-for': '203.0.113.7',
  'x-forwarded-host': 'evil.test',
  'x-forwarded-proto': 'https',
  forwarded: 'for=203.0.113.7',
};
const OWN = { ip: '127.0.0.1', host: '127.0.0.1', protocol: 'http', forwarding: [] as string[] };

describe('which proxies are believed about an address', () => {
  test('no proxy, when none is named', async () => {
    for (const settings of [{}, { trustProxy: 'none' }, { trustProxy: '10.0.0.0/8, fc00::/7' }]) {
      assert.deepEqual(await (await asker(settings))(FORGED), OWN);
    }
  });

  test('each header that forwards an address is removed, unless its sender is trusted', async () => {
    const names = ['forwarded', ...['for', 'host', 'port', 'proto'].map((what) => `x-forwarded-${what}`)];
    const [closed, open] = [await asker({}), await asker({ trustProxy: 'loopback' })];
    for (const name of names) {
      assert.deepEqual((await closed({ [name]: '1' })).forwarding, [], name);
      assert.deepEqual((await open({ [name]: '1' })).forwarding, [name]);
    }
  });

  test('each address has its own answer, also after more addresses than are remembered', () => {
    const { isProxy } = createForwarding('10.0.0.0/16, 2001:db8::/64', undefined);
    for (let round = 0; round < 2; round++) {
      for (let at = 0; at < 1500; at++) {
        const rest = `${at >> 8}.${at & 255}`;
        assert.deepEqual([isProxy(`10.0.${rest}`), isProxy(`10.1.${rest}`)], [true, false], rest);
      }
      assert.deepEqual(
        [isProxy('2001:db8::1'), isProxy('2001:db9::1'), isProxy(undefined), isProxy('')],
        [true, false, false, false],
      );
    }
  });

  test('a named proxy, and those before it as far as they are named', async () => {
    const ask = await asker({ trustProxy: 'loopback, 198.51.100.0/24' });
    assert.equal((await ask({ 'x-forwarded-for': '203.0.113.7' })).ip, '203.0.113.7');
    assert.equal((await ask({ 'x-forwarded-for': '192.0.2.1, 203.0.113.7, 198.51.100.4' })).ip, '203.0.113.7');
    assert.equal((await ask({ 'x-forwarded-for': '127.0.0.5' })).ip, '127.0.0.5');
  });

  test('a server that knows the secret, which is not passed on', async () => {
    const ask = await asker({ forwardingSecret: SECRET });
    const headers = { 'x-forwarded-for': '203.0.113.7' };
    assert.equal((await ask({ ...headers, 'x-forwarding-secret': SECRET })).ip, '203.0.113.7');
    assert.equal((await ask({ ...headers, 'x-forwarding-secret': SECRET })).secret, undefined);
    assert.equal((await ask({ 'x-forwarded-for': '1.2.3.4, 203.0.113.7', 'x-forwarding-secret': SECRET })).ip, '203.0.113.7');
    for (const secret of ['', 'x', `${SECRET}x`, SECRET.slice(1)]) {
      assert.deepEqual(await ask({ ...FORGED, 'x-forwarding-secret': secret }), OWN);
    }
    const closed = await asker({});
    assert.equal((await closed({ ...headers, 'x-forwarding-secret': '' })).ip, '127.0.0.1');
    assert.equal((await closed({ ...headers, 'x-forwarding-secret': 'undefined' })).ip, '127.0.0.1');
  });
});

test('a list of proxies is read whole, or rejected', () => {
  const { isProxy } = createForwarding('loopback,10.1.0.0/16 , 2001:db8::/32,192.0.2.1', undefined);
  for (const address of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1', '10.1.2.3', '2001:db8::7', '192.0.2.1']) {
    assert.equal(isProxy(address), true, address);
  }
  for (const address of ['10.2.0.1', '192.0.2.2', '2001:db9::1', '203.0.113.7', '', 'loopback', undefined]) {
    assert.equal(isProxy(address), false, String(address));
  }
  for (const list of ['true', 'proxy.internal', '10.0.0.0/33', '10.0.0.0/0', '10.0.0.0/', '10.0.0.0/8/8', '::1/129']) {
    assert.throws(() => createForwarding(list, undefined), /TRUST_PROXY must name/, list);
  }
});

test('[EDGE-5] each word for proxies names exactly its ranges', () => {
  for (const [word, inside, outside] of [
    ['none', [], ['127.0.0.1', '::1', '10.0.0.1']],
    ['loopback', ['127.0.0.0', '127.255.255.255', '::1'], ['126.255.255.255', '128.0.0.0', '::', '::2', '10.0.0.1']],
    [
      'linklocal',
      ['169.254.0.0', '169.254.255.255', 'fe80::', 'febf:ffff::1'],
      ['169.253.255.255', '169.255.0.0', 'fe7f:ffff::1', 'fec0::'],
    ],
    [
      'uniquelocal',
      ['10.0.0.0', '10.255.255.255', '172.16.0.0', '172.31.255.255', '192.168.0.0', '192.168.255.255', 'fc00::', 'fdff:ffff::1'],
      ['9.255.255.255', '11.0.0.0', '172.15.255.255', '172.32.0.0', '192.167.255.255', '192.169.0.0', 'fbff:ffff::1', 'fe00::'],
    ],
  ] as const) {
    const { isProxy } = createForwarding(word, undefined);
    for (const address of inside) assert.equal(isProxy(address), true, `${address} is ${word}`);
    for (const address of outside) assert.equal(isProxy(address), false, `${address} is not ${word}`);
  }
});

/** A request with these headers from this peer. */
const requestOf = (headers: IncomingMessage['headers'], remoteAddress: string | undefined) =>
  ({ headers: { ...headers }, socket: { remoteAddress } }) as unknown as IncomingMessage;

test('[EDGE-5] each hop adds the address of its peer after those before it, in the form of IPv4 where it is one', () => {
  for (const [given, peer, expected] of [
    [undefined, '203.0.113.1', '203.0.113.1'],
    ['', '203.0.113.1', '203.0.113.1'],
    ['198.51.100.7', '203.0.113.1', '198.51.100.7, 203.0.113.1'],
    ['198.51.100.7, 10.0.0.1', '::ffff:203.0.113.1', '198.51.100.7, 10.0.0.1, 203.0.113.1'],
    ['198.51.100.7', '2001:db8::1', '198.51.100.7, 2001:db8::1'],
    [undefined, '::ffff:1', '::ffff:1'],
    ['198.51.100.7', undefined, '198.51.100.7'],
    [undefined, undefined, undefined],
  ] as const) {
    const request = requestOf(given === undefined ? {} : { 'x-forwarded-for': given }, peer);
    addOwnHop(request);
    assert.equal(request.headers['x-forwarded-for'], expected, `${given} from ${peer}`);
  }
});

test('[EDGE-5] a proxy, and a server that knows the secret, keep all headers of forwarding, others none, and no one else sees the secret', () => {
  const given = {
    forwarded: 'for=198.51.100.7',
    'x-forwarded-for': '198.51.100.7',
    'x-forwarded-host': 'other.test',
    'x-forwarded-port': '1',
    'x-forwarded-proto': 'https',
    'x-request-id': 'request-1',
    traceparent: 'a',
    tracestate: 'b',
  };
  const { clean } = createForwarding('10.0.0.0/8', SECRET);
  for (const [peer, secret, isTrusted] of [
    ['10.1.2.3', undefined, true],
    ['::ffff:10.1.2.3', undefined, true],
    ['11.1.2.3', undefined, false],
    ['11.1.2.3', SECRET, true],
    ['11.1.2.3', `${SECRET} `, false],
    ['11.1.2.3', '', false],
    [undefined, undefined, false],
  ] as const) {
    const own = { host: 'web.test', cookie: 'a=b' };
    const request = requestOf({ ...given, ...own, ...(secret === undefined ? {} : { 'x-forwarding-secret': secret }) }, peer);
    clean(request);
    assert.deepEqual(request.headers, isTrusted ? { ...given, ...own } : own, `${peer} with ${secret}`);
  }
});
