import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SYSTEM } from '@case-platform/lib/audit';
import type { Transaction } from '@case-platform/lib/database';
import {
  beginTwoFactor,
  type ChallengeContext,
  confirmAddressChange,
  createPasswordReset,
  findLastAddressChange,
  findPendingChallenge,
  findPendingTwoFactor,
  findSession,
  findWaitingAddress,
  isRecentProof,
  listOpenSessions,
  openChallenge,
  openSession,
  passChallenge,
  recordSignIn,
  requestOwnAddress,
  resetPassword,
  type User,
} from '@case-platform/modules/accounts';
import { issueResetToken } from '../../../modules/accounts/password/reset-tokens.ts';
import { listFormerAddresses } from '../../../modules/accounts/people/former-addresses.ts';
import { isKnownAddress } from '../../../modules/accounts/sign-in/sign-ins.ts';
import { findQueuedCode, findQueuedToken, TEST_URLS } from '../../support/codes.ts';
import { createTestDatabase, TEST_SECRETS } from '../../support/database.ts';
import { undone } from '../../support/undone.ts';

/** A time limit lasts until the millisecond before its end (API-9). */

const { db, pool } = await createTestDatabase();
const { rows: people } = await pool.query(`select * from user_account where email_address = 'surrogate@demo.test'`);
const user: User = { ...people[0], id: Number(people[0].id) };

const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000];
const START = new Date('2026-03-10T10:00:00Z');
const after = (milliseconds: number) => new Date(START.getTime() + milliseconds);
const nothing = async () => {};
const IP = '192.0.2.7';
const noThrottle = { consume: nothing, requireBelowLimit: nothing, returnTry: nothing };
const context = (tx: Transaction): ChallengeContext => ({
  db: tx,
  throttle: noThrottle,
  encryptionKey: TEST_SECRETS.encryptionKey,
});
/** Resolves to whether a command succeeds. */
const works = (work: Promise<unknown>) =>
  work.then(
    () => true,
    () => false,
  );
const set = (tx: Transaction, text: string, ...values: (Date | string | number)[]) => tx.query({ text, values });

const OWNER = { actor: user, origin: SYSTEM };

async function moveTo(tx: Transaction, address: string, at: Date): Promise<void> {
  await requestOwnAddress({ db: tx, throttle: noThrottle }, address, OWNER, TEST_URLS, at);
  await confirmAddressChange(tx, { token: await findQueuedToken(tx), origin: SYSTEM }, at);
}

interface Limited {
  what: string;
  lasts: number;
  /** Starts the time limit at START. @returns a function that checks if it still lasts at a moment. */
  begin: (tx: Transaction) => Promise<(at: Date) => boolean | Promise<boolean>>;
}

const LIMITED: Limited[] = [
  {
    what: 'an unused session of staff',
    lasts: HOUR,
    begin: async (tx) => {
      const id = await openSession(tx, user, START);
      return async (now) => (await findSession(tx, id, { idleSeconds: 3600, active: false }, now)) !== null;
    },
  },
  {
    what: 'a session of staff that is always in use',
    lasts: 12 * HOUR,
    begin: async (tx) => {
      const id = await openSession(tx, user, START);
      await set(tx, 'update admin_session set last_active_at = $1 where created_at = $2', after(12 * HOUR), START);
      return async (now) => (await findSession(tx, id, { idleSeconds: 3600, active: false }, now)) !== null;
    },
  },
  {
    what: 'an unused session in the list',
    lasts: HOUR,
    begin: async (tx) => {
      const currentId = await openSession(tx, user, START);
      return async (now) => (await listOpenSessions(tx, user.id, { currentId, idleSeconds: 3600 }, now)).length > 0;
    },
  },
  {
    what: 'a session in the list that is always in use',
    lasts: 12 * HOUR,
    begin: async (tx) => {
      const currentId = await openSession(tx, user, START);
      await set(tx, 'update admin_session set last_active_at = $1 where created_at = $2', after(12 * HOUR), START);
      return async (now) => (await listOpenSessions(tx, user.id, { currentId, idleSeconds: 3600 }, now)).length > 0;
    },
  },
  {
    what: 'a proof of identity',
    lasts: 10 * MINUTE,
    begin: async () => (now) => isRecentProof(START, now),
  },
  {
    what: 'a link to a new password',
    lasts: 30 * MINUTE,
    begin: async (tx) => {
      const made = await createPasswordReset(tx, user, START);
      const password = 'a long enough new password';
      return (now) => works(resetPassword(tx, { token: made?.token ?? '', password, origin: SYSTEM }, now));
    },
  },
  {
    what: 'an invitation',
    lasts: 7 * DAY,
    begin: async (tx) => {
      await set(tx, `update user_account set status = 'invited' where id = $1`, user.id);
      const token = await issueResetToken(tx, { user_id: user.id, purpose: 'invitation' }, START);
      const password = 'a long enough new password';
      return (now) => works(resetPassword(tx, { token, password, origin: SYSTEM }, now));
    },
  },
  {
    what: 'a code',
    lasts: 10 * MINUTE,
    begin: async (tx) => {
      const { id } = await openChallenge(context(tx), user, { purpose: 'api_login', method: 'email' }, START);
      const code = await findQueuedCode(tx);
      return (now) => works(passChallenge(context(tx), { id, purpose: 'api_login', answer: { code } }, now));
    },
  },
  {
    what: 'the page that takes a code',
    lasts: 10 * MINUTE,
    begin: async (tx) => {
      const { id } = await openChallenge(context(tx), user, { purpose: 'admin_login', method: 'email' }, START);
      return async (now) => (await findPendingChallenge(tx, { id, purpose: 'admin_login' }, now)) !== null;
    },
  },
  {
    what: 'two-factor that is being set up',
    lasts: 10 * MINUTE,
    begin: async (tx) => {
      await beginTwoFactor(context(tx), user, 'app', START);
      return async (now) => (await findPendingTwoFactor(context(tx), user, now)) !== null;
    },
  },
  {
    what: 'a link to another address',
    lasts: 3 * DAY,
    begin: async (tx) => {
      await requestOwnAddress({ db: tx, throttle: noThrottle }, 'next@demo.test', OWNER, TEST_URLS, START);
      const token = await findQueuedToken(tx);
      return (now) => works(confirmAddressChange(tx, { token, origin: SYSTEM }, now));
    },
  },
  {
    what: 'another address that waits for its link',
    lasts: 3 * DAY,
    begin: async (tx) => {
      await requestOwnAddress({ db: tx, throttle: noThrottle }, 'next@demo.test', OWNER, TEST_URLS, START);
      return async (now) => (await findWaitingAddress(tx, user.id, now)) !== null;
    },
  },
  {
    what: 'a previous address that is still notified of changes',
    lasts: 30 * DAY,
    begin: async (tx) => {
      await moveTo(tx, 'next@demo.test', START);
      return async (now) => (await listFormerAddresses(tx, user.id, now)).includes('surrogate@demo.test');
    },
  },
  {
    what: 'a change of address that staff see as a recent one',
    lasts: 30 * DAY,
    begin: async (tx) => {
      await moveTo(tx, 'next@demo.test', START);
      return async (now) => (await findLastAddressChange(tx, user.id, now)) !== null;
    },
  },
  {
    what: 'a network that an account signed in from',
    lasts: 90 * DAY,
    begin: async (tx) => {
      await recordSignIn(tx, user.id, 'api', { ip: IP, user_agent: '' }, START);
      return (now) => isKnownAddress(tx, user.id, IP, now);
    },
  },
  {
    what: 'a network that a link was followed from',
    lasts: 90 * DAY,
    begin: async (tx) => {
      await issueResetToken(tx, { user_id: user.id, purpose: 'reset' }, START);
      await set(tx, 'update password_reset set used_at = $1, used_from = $2 where user_id = $3', START, IP, user.id);
      return (now) => isKnownAddress(tx, user.id, IP, now);
    },
  },
];

for (const { what, lasts, begin } of LIMITED)
  test(`[API-9] ${what} holds until the last millisecond, and not at the end`, async () => {
    // Each check starts from a state of its own, because some things can be used only once.
    const holdsAt = (at: Date) => undone(db, async (tx) => (await begin(tx))(at));
    assert.deepEqual([await holdsAt(after(lasts - 1)), await holdsAt(after(lasts))], [true, false]);
  });

test('[ADDRESS-2] someone who returns to an old address is notified there once, and the last change is the one that counts', async () => {
  await undone(db, async (tx) => {
    await moveTo(tx, 'second@demo.test', START);
    await moveTo(tx, 'third@demo.test', after(DAY));
    assert.deepEqual(await listFormerAddresses(tx, user.id, after(2 * DAY)), ['second@demo.test', 'surrogate@demo.test']);
    await moveTo(tx, 'second@demo.test', after(2 * DAY));
    assert.deepEqual(await listFormerAddresses(tx, user.id, after(3 * DAY)), ['surrogate@demo.test', 'third@demo.test']);
    assert.deepEqual(await findLastAddressChange(tx, user.id, after(3 * DAY)), after(2 * DAY));
  });
});

test('[SESSION-2] a session is renewed once a second has passed since its last use, each time', async () => {
  await undone(db, async (tx) => {
    const id = await openSession(tx, user, START);
    const useAt = async (now: Date) => {
      await findSession(tx, id, { idleSeconds: 3600 }, now);
      const { rows } = await set(tx, 'select last_active_at from admin_session where created_at = $1', START);
      return (rows[0] as { last_active_at: Date }).last_active_at.getTime() - START.getTime();
    };
    const times = [1000, 1001, 2001, 2002];
    const seen = [];
    for (const time of times) seen.push(await useAt(after(time)));
    assert.deepEqual(seen, [0, SECOND + 1, SECOND + 1, 2 * SECOND + 2]);
  });
});
