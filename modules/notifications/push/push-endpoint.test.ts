import assert from 'node:assert/strict';
import { test } from 'node:test';
import { areAllPublic, InsideAddressError, isAllowedEndpoint, isPublicAddress, lookupPublic } from './push-endpoint.ts';

const HOSTS = ['fcm.googleapis.com', '*.push.apple.com'];

test('[PUSH-4] an endpoint is https on a listed host; a lookalike is rejected', () => {
  const allowed = (endpoint: string) => isAllowedEndpoint(endpoint, HOSTS, true);
  assert.ok(allowed('https://fcm.googleapis.com/fcm/send/x'));
  assert.ok(allowed('https://web.push.apple.com/x'));
  for (const endpoint of [
    'http://fcm.googleapis.com/x',
    'https://fcm.googleapis.com:8443/x',
    'https://fcm.googleapis.com./x',
    'https://fcm.googleapis.com@evil.test/x',
    'https://user:pass@fcm.googleapis.com/x',
    'https://fcm.googleapis.com.evil.test/x',
    'https://push.apple.com/x',
    'https://.push.apple.com/x',
    'https://evilpush.apple.com/x',
    'https://evil.test/?https://fcm.googleapis.com',
    'ftp://fcm.googleapis.com/x',
    'fcm.googleapis.com/x',
    'https://fcm.googleapis.com/\uD800',
    'https://fcm.googleapis.com/\uFFFD',
    ' https://fcm.googleapis.com/x',
    'https://fcm.googleapis.com/x\n',
    '',
  ]) {
    assert.equal(allowed(endpoint), false, endpoint);
  }
});

test('[PUSH-4] private addresses are rejected in every spelling', () => {
  for (const host of [
    '127.0.0.1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '127.1',
    '10.0.0.1',
    '169.254.169.254',
    '192.168.1.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[fe80::1]',
    '[fd00::1]',
    'localhost',
    'a.localhost',
  ]) {
    for (const hosts of [HOSTS, [...HOSTS, host], ['*']]) {
      assert.equal(isAllowedEndpoint(`https://${host}/x`, hosts, true), false, `${host} in production`);
    }
    assert.equal(isAllowedEndpoint(`http://${host}/x`, HOSTS, false), false, `${host} when it is not listed`);
  }
});

test('[PUSH-5] outside production a loopback host may be listed, also with http; a private one never', () => {
  const hosts = ['127.0.0.1', 'localhost', '10.0.0.1', '[::ffff:a00:1]'];
  assert.ok(isAllowedEndpoint('http://127.0.0.1:4010/x', hosts, false));
  assert.ok(isAllowedEndpoint('https://localhost/x', hosts, false));
  assert.equal(isAllowedEndpoint('http://10.0.0.1/x', hosts, false), false);
  assert.equal(isAllowedEndpoint('https://10.0.0.1/x', hosts, false), false);
  assert.equal(isAllowedEndpoint('https://[::ffff:10.0.0.1]/x', hosts, false), false);
});

test('[PUSH-4] only public addresses are called', () => {
  for (const address of ['8.8.8.8', '142.250.1.1', '2a00:1450:4001::1', '2606:4700::1', '::ffff:8.8.8.8']) {
    assert.ok(isPublicAddress(address), address);
  }
  for (const address of [
    '127.0.0.1',
    '10.1.2.3',
    '172.31.0.1',
    '192.168.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    'fe80::1',
    'fc00::1',
    'fd12::1',
    'ff02::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '2001::1',
    '2001:db8::1',
    'not an address',
    '',
  ]) {
    assert.equal(isPublicAddress(address), false, address);
  }
});

/**
 * The first and last address of each private network, and the public addresses before and after it (IANA's special-purpose
 * registries).
 */
const NETWORKS: [before: string, first: string, last: string, after: string][] = [
  ['', '0.0.0.0', '0.255.255.255', '1.0.0.0'],
  ['9.255.255.255', '10.0.0.0', '10.255.255.255', '11.0.0.0'],
  ['100.63.255.255', '100.64.0.0', '100.127.255.255', '100.128.0.0'],
  ['126.255.255.255', '127.0.0.0', '127.255.255.255', '128.0.0.0'],
  ['169.253.255.255', '169.254.0.0', '169.254.255.255', '169.255.0.0'],
  ['172.15.255.255', '172.16.0.0', '172.31.255.255', '172.32.0.0'],
  ['191.255.255.255', '192.0.0.0', '192.0.0.255', '192.0.1.0'],
  ['192.0.1.255', '192.0.2.0', '192.0.2.255', '192.0.3.0'],
  ['192.88.98.255', '192.88.99.0', '192.88.99.255', '192.88.100.0'],
  ['192.167.255.255', '192.168.0.0', '192.168.255.255', '192.169.0.0'],
  ['198.17.255.255', '198.18.0.0', '198.19.255.255', '198.20.0.0'],
  ['198.51.99.255', '198.51.100.0', '198.51.100.255', '198.51.101.0'],
  ['203.0.112.255', '203.0.113.0', '203.0.113.255', '203.0.114.0'],
  ['223.255.255.255', '224.0.0.0', '239.255.255.255', ''],
  ['', '240.0.0.0', '255.255.255.255', ''],
  ['', '1fff:ffff::', '1fff:ffff::ffff', '2000::'],
  ['2000:ffff::ffff', '2001::', '2001:1ff:ffff::ffff', '2001:200::'],
  ['2001:db7:ffff::', '2001:db8::', '2001:db8:ffff::', '2001:db9::'],
  ['2001:ffff::', '2002::', '2002:ffff::', '2003::'],
  ['3ffe:ffff::', '3fff::', '3fff:fff:ffff::', '3fff:1000::'],
];
for (const [before, first, last, after] of NETWORKS) {
  test(`[PUSH-4] ${first} to ${last} are private, their neighbors are not`, () => {
    for (const address of [first, last]) assert.equal(isPublicAddress(address), false, address);
    for (const address of [before, after].filter(Boolean)) assert.equal(isPublicAddress(address), true, address);
  });
}

test('[PUSH-4] a name with a private address among several is rejected, whatever their order', () => {
  const areAllPublicOf = (...addresses: string[]) => areAllPublic(addresses.map((address) => ({ address })));
  assert.ok(areAllPublicOf('8.8.8.8', '2606:4700::1'));
  for (const inside of ['10.0.0.1', '::1']) {
    assert.equal(areAllPublicOf('8.8.8.8', inside), false);
    assert.equal(areAllPublicOf(inside, '8.8.8.8'), false);
  }
});

test('[PUSH-4] a name that leads to a private address is not called: the check uses the address of the connection', async () => {
  const resolve = (hostname: string) =>
    new Promise<unknown>((done) => {
      lookupPublic(hostname, { all: true }, (error, addresses) => done(error ?? addresses));
    });
  // The resolver reads these names as addresses by itself, even without a network.
  for (const inside of ['127.1', '2130706433', '10.1']) {
    const rejection = await resolve(inside);
    assert.ok(rejection instanceof InsideAddressError, `${inside}: ${rejection}`);
    assert.match(rejection.message, /not public/);
  }
  assert.equal(Array.isArray(await resolve('localhost')), true, 'a loopback host was already allowed by its name');
});
