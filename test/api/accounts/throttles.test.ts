import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createThrottle } from '@case-platform/modules/accounts';
import { createTestDatabase } from '../../support/database.ts';

/** How often things that can be guessed or cost money are allowed, and how long they are then rejected. */

const { pool } = await createTestDatabase();
const throttle = createThrottle(pool);
type Kind = Parameters<typeof throttle.requireBelowLimit>[0];

const MINUTES_15 = 900;
const HOUR = 3600;
const LIMITS: Record<Kind, [points: number, seconds: number]> = {
  login: [10, MINUTES_15],
  login_address: [30, MINUTES_15],
  login_account: [100, 24 * HOUR],
  code: [10, MINUTES_15],
  send_code: [6, MINUTES_15],
  password: [10, MINUTES_15],
  address_link: [3, MINUTES_15],
  phone_change: [5, HOUR],
  account_change: [30, HOUR],
  reset: [3, MINUTES_15],
  reset_address: [20, MINUTES_15],
  proof_code: [20, MINUTES_15],
};

test('[RATE-5] each kind is counted for each subject separately, up to its limit, for its time', async () => {
  // All kinds use the same subject, because many of them count by the same account.
  for (const [kind, [points, seconds]] of Object.entries(LIMITS) as [Kind, [number, number]][]) {
    for (let at = 0; at < points; at += 1) await throttle.consume(kind, 'someone');
    const refused = { name: 'TooManyRequestsError' };
    await assert.rejects(throttle.requireBelowLimit(kind, 'someone'), refused, `${kind} is full`);
    const held = await throttle.consume(kind, 'someone').catch((error) => error.retryAfter);
    assert.ok(held <= seconds && held > seconds - 60, `${kind}: ${held} s`);
    await throttle.requireBelowLimit(kind, 'someone else');
    await throttle.consume(kind, 'someone else');
  }
});

test('[RATE-5] a point that is given back may be used again, once', async () => {
  for (let at = 0; at < 10; at += 1) await throttle.consume('code', 'given back');
  await throttle.returnTry('code', 'given back');
  await throttle.requireBelowLimit('code', 'given back');
  await throttle.consume('code', 'given back');
  await assert.rejects(throttle.requireBelowLimit('code', 'given back'), { name: 'TooManyRequestsError' });
});

test('[RATE-5] once the time is over the count begins again', async () => {
  for (let at = 0; at < 3; at += 1) await throttle.consume('reset', 'later');
  await assert.rejects(throttle.consume('reset', 'later'), { name: 'TooManyRequestsError' });
  await pool.query(`update throttle set expire = 0 where key like 'reset:%'`);
  await throttle.requireBelowLimit('reset', 'later');
  for (let at = 0; at < 3; at += 1) await throttle.consume('reset', 'later');
  await assert.rejects(throttle.consume('reset', 'later'), { name: 'TooManyRequestsError' });
});
