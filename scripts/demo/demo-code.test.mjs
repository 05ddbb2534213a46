import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Secret, TOTP } from 'otpauth';
import { DEMO_TOTP_SECRET, demoCode } from './demo-code.mjs';

const read = (/** @type {string} */ path) => readFileSync(new URL(path, import.meta.url), 'utf8');

test('[DEMO-1] the demo’s code is the one that an authenticator app shows', () => {
  const app = new TOTP({ secret: Secret.fromBase32(DEMO_TOTP_SECRET) });
  for (let at = 0; at < 3e12; at += 1e11 + 12_345) assert.equal(demoCode(at), app.generate({ timestamp: at }));
  const printed = execFileSync(process.execPath, [fileURLToPath(new URL('demo-code.mjs', import.meta.url))], {
    encoding: 'utf8',
  });
  assert.match(printed, /^\d{6}\n$/);
});

test('[DEMO-1] the README and the start name every account of the demo, the app’s secret, and the agency’s key', () => {
  const seed = read('seed-cast.ts');
  const addresses = new Set([...seed.matchAll(/'([\w-]+@demo\.test)'/g)].map(([, address = '']) => address));
  assert.ok(addresses.size >= 14);
  const key = /AGENCY_KEY = '([^']+)'/.exec(seed)?.[1] ?? '';
  for (const text of [read('../../README.md'), read('../start/welcome.mjs') + read('demo-code.mjs')])
    for (const named of [...addresses, DEMO_TOTP_SECRET, key]) assert.ok(text.includes(named), named);
  assert.ok(seed.includes(DEMO_TOTP_SECRET));
});
