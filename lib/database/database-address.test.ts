import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { PeerCertificate } from 'node:tls';
import { parseDatabaseAddress } from './database-address.ts';

const folder = mkdtempSync(join(tmpdir(), 'address-'));
const ca = join(folder, 'ca.pem');
writeFileSync(ca, 'a certificate');
after(() => rmSync(folder, { recursive: true }));

const one = { user: 'u', password: 'p', database: 'd', writableOnly: false, ssl: undefined, options: undefined };
const read: [address: string, expected: object][] = [
  ['postgres://u:p@h/d', { ...one, hosts: [{ host: 'h', port: 5432 }] }],
  ['postgresql://u:p@h:6543/d', { ...one, hosts: [{ host: 'h', port: 6543 }] }],
  [
    'postgres://u%40x:p%3A%2F%3F@h/d%20e',
    { ...one, user: 'u@x', password: 'p:/?', database: 'd e', hosts: [{ host: 'h', port: 5432 }] },
  ],
  ['postgres://u:p:q@h/d', { ...one, password: 'p:q', hosts: [{ host: 'h', port: 5432 }] }],
  ['postgres://u:p@q@h/d', { ...one, password: 'p@q', hosts: [{ host: 'h', port: 5432 }] }],
  ['postgres://u@h/d', { ...one, password: undefined, hosts: [{ host: 'h', port: 5432 }] }],
  ['postgres://u:p@h', { ...one, database: undefined, hosts: [{ host: 'h', port: 5432 }] }],
  ['postgres://u:p@h?dbname=d', { ...one, hosts: [{ host: 'h', port: 5432 }] }],
  ['postgres://u:p@h/d?dbname=e', { ...one, hosts: [{ host: 'h', port: 5432 }] }],
  ['postgres://u:p@h:1/d', { ...one, hosts: [{ host: 'h', port: 1 }] }],
  ['postgres://u:p@h:65535/d', { ...one, hosts: [{ host: 'h', port: 65_535 }] }],
  ['postgres://u:p\nq@h/d', { ...one, password: 'p\nq', hosts: [{ host: 'h', port: 5432 }] }],
  ['postgres://u:p@[::1]:6000/d', { ...one, hosts: [{ host: '::1', port: 6000 }] }],
  ['postgres://u:p@%2Frun%2Fpostgresql/d', { ...one, hosts: [{ host: '/run/postgresql', port: 5432 }] }],
  ['postgres://u:p@/d?host=/run/postgresql&port=5433', { ...one, hosts: [{ host: '/run/postgresql', port: 5433 }] }],
  [
    'postgres://u:p@a:1,b:2/d?target_session_attrs=read-write',
    {
      ...one,
      writableOnly: true,
      hosts: [
        { host: 'a', port: 1 },
        { host: 'b', port: 2 },
      ],
    },
  ],
  [
    'postgres://u:p@a,[::1]:7/d',
    {
      ...one,
      writableOnly: true,
      hosts: [
        { host: 'a', port: 5432 },
        { host: '::1', port: 7 },
      ],
    },
  ],
  [
    'postgres:///d?host=a,b&port=1,2&user=u&password=p',
    {
      ...one,
      writableOnly: true,
      hosts: [
        { host: 'a', port: 1 },
        { host: 'b', port: 2 },
      ],
    },
  ],
  ['postgres://u:p@h/d?target_session_attrs=primary', { ...one, writableOnly: true, hosts: [{ host: 'h', port: 5432 }] }],
  [
    'postgres://u:p@h/d?options=-c%20search_path%3Dx',
    { ...one, options: '-c search_path=x', hosts: [{ host: 'h', port: 5432 }] },
  ],
  ['postgres://u:p@h/d?sslmode=disable', { ...one, ssl: false, hosts: [{ host: 'h', port: 5432 }] }],
  ['postgres://u:p@h/d?sslmode=require', { ...one, ssl: { rejectUnauthorized: false }, hosts: [{ host: 'h', port: 5432 }] }],
  ['postgres://u:p@h/d?sslmode=verify-full', { ...one, ssl: {}, hosts: [{ host: 'h', port: 5432 }] }],
  ['postgres://u:p@h/d?sslmode=require&sslrootcert=system', { ...one, ssl: {}, hosts: [{ host: 'h', port: 5432 }] }],
  [
    `postgres://u:p@h/d?sslmode=verify-full&sslrootcert=${ca}`,
    { ...one, ssl: { ca: 'a certificate' }, hosts: [{ host: 'h', port: 5432 }] },
  ],
  [
    `postgres://u:p@h/d?sslmode=verify-full&sslcert=${ca}&sslkey=${ca}`,
    { ...one, ssl: { cert: 'a certificate', key: 'a certificate' }, hosts: [{ host: 'h', port: 5432 }] },
  ],
];
for (const [address, expected] of read) {
  test(`[DATABASE-1] reads ${address.replace(folder, '')}`, () => {
    assert.deepEqual(parseDatabaseAddress(address), expected);
  });
}

for (const mode of ['require', 'verify-ca']) {
  test(`[DATABASE-1] sslmode=${mode} with a root verifies the issuer, and not the host name`, () => {
    const { ssl } = parseDatabaseAddress(`postgres://u:p@h/d?sslmode=${mode}&sslrootcert=${ca}`);
    assert.ok(ssl);
    assert.equal(ssl.ca, 'a certificate');
    assert.notEqual(ssl.rejectUnauthorized, false);
    assert.equal(ssl.checkServerIdentity?.('another host', {} as PeerCertificate), undefined);
  });
}

const refused: [address: string, why: RegExp][] = [
  ['mysql://u:hidden@h/d', /begin with postgres/],
  ['u:hidden@h/d', /begin with postgres/],
  ['x postgres://u:hidden@h/d', /begin with postgres/],
  ['postgres://u:hidden@h:0/d', /an invalid port/],
  ['postgres://u:hidden@h:65536/d', /an invalid port/],
  ['postgres://u:hidden@/d?host=h&port=1.5', /an invalid port/],
  ['postgres://u:hidden@h/d?sslmode=verify-ca&sslrootcert=system', /sslrootcert/],
  ['postgres://u:hidden@h:port/d', /an invalid host/],
  ['postgres://u:hidden@h:70000/d', /an invalid port/],
  ['postgres://u:hidden@a,,b/d', /an invalid host/],
  ['postgres://u:hidden@a,b/d?target_session_attrs=standby', /target_session_attrs=read-write/],
  ['postgres://u:hidden@h/d?sslmode=prefer', /sslmode/],
  ['postgres://u:hidden@h/d?sslmode=verify-ca', /sslrootcert/],
  ['postgres://u:hidden@h/d?sslrootcert=/x', /sslmode/],
  ['postgres://u:hidden@h/d?sslmode=verify-full&sslrootcert=/nowhere/hidden', /cannot be read/],
  ['postgres://u:hidden%zz@h/d', /hexadecimal/],
];
for (const [address, why] of refused) {
  test(`[DATABASE-1] rejects ${address} without repeating it`, () => {
    assert.throws(
      () => parseDatabaseAddress(address),
      ({ message }: Error) => why.test(message) && !/hidden/.test(message),
    );
  });
}
