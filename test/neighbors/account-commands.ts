import { SYSTEM } from '@case-platform/lib/audit';
import type { Transaction } from '@case-platform/lib/database';
import {
  beginTwoFactor,
  type ChallengeContext,
  changePassword,
  closeSession,
  confirmAddressChange,
  confirmSession,
  confirmTwoFactor,
  deactivateUser,
  disableTwoFactor,
  editUser,
  endWebSession,
  findSession,
  passChallenge,
  reactivateUser,
  recordSignIn,
  requestOwnAddress,
  resendCode,
  resendInvitation,
  resetPassword,
  resetTwoFactor,
  type StaffChange,
  updateProfile,
} from '@case-platform/modules/accounts';
import { announceName } from '@case-platform/modules/cases';
import { leaveChainsOfOtherAgencies } from '@case-platform/modules/messaging';
import { spendBackupCode } from '../../modules/accounts/sign-in/backup-codes.ts';
import { findQueuedCode, TEST_URLS } from '../support/codes.ts';
import { TEST_SECRETS } from '../support/database.ts';
import type { Command } from './command.ts';
import { challengeId, NOW, PASSWORD, type Twins } from './seed-twins.ts';

const NEXT = 'another long and careful password';
const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);
const noThrottle = { consume: async () => {}, requireBelowLimit: async () => {}, returnTry: async () => {} };
const nothing = async () => {};
const CONTACT_CHANGES = [{ email_address: 'moved@twins.test' }, { phone: '+12025550168' }];
const contextOf = (tx: Transaction): ChallengeContext => ({
  db: tx,
  throttle: noThrottle,
  encryptionKey: TEST_SECRETS.encryptionKey,
});
const set = (tx: Transaction, text: string, ...values: (string | number)[]) => tx.query({ text, values });
const staffOf = ({ people }: Twins): StaffChange => ({
  actor: people.eve,
  origin: SYSTEM,
  manages_roles: true,
  now: NOW,
  urls: TEST_URLS,
});
const askForAddress = (tx: Transaction, { people }: Twins) =>
  requestOwnAddress(
    { db: tx, throttle: noThrottle },
    'ann.new@twins.test',
    { actor: people.ann, origin: SYSTEM },
    TEST_URLS,
    NOW,
  );
/** Turns a two-factor method on, as if long ago. */
const turnOn = (tx: Transaction, method: string, id: number) =>
  set(
    tx,
    `update user_account set two_factor_method = $1, two_factor_secret = 'x', password_stands_alone = true where id = $2`,
    method,
    id,
  );

export const ACCOUNT_COMMANDS: Command[] = [
  {
    name: 'changing a password',
    work: (tx, { people }) =>
      changePassword(
        contextOf(tx),
        { proof: { pass_hash: PASSWORD }, signedInAt: NOW, next: NEXT, keepSession: 'Ada desk' },
        { actor: people.ada, origin: SYSTEM },
        NOW,
      ),
  },
  {
    name: 'resetting a password by a link, which works once',
    work: (tx) => resetPassword(tx, { token: 'Ann link', password: NEXT, origin: SYSTEM }, NOW),
    runs: 2,
  },
  {
    name: 'setting a password that is one’s own name, address, or phone number',
    work: (tx, { people }, round) => {
      const password = ['Ann.Twin.Ann!', 'ann@twins.test', '+1 202 555 0161 !'][round % 3] ?? '';
      if (round > 2) return resetPassword(tx, { token: 'Ann link', password, origin: SYSTEM }, NOW);
      const change = { proof: { pass_hash: PASSWORD }, signedInAt: NOW, next: password };
      return changePassword(contextOf(tx), change, { actor: people.ann, origin: SYSTEM }, NOW);
    },
    runs: 6,
  },
  {
    name: 'asking for a code again, which waits a minute each time',
    work: (tx, _twins, round) =>
      resendCode(
        contextOf(tx),
        {
          id: challengeId('Ann', 'api_login'),
          purpose: 'api_login',
        },
        later([0, 59.999, 60, 119, 120][round] ?? 0),
      ),
    runs: 5,
  },
  {
    name: 'giving a wrong code',
    work: (tx) =>
      passChallenge(
        contextOf(tx),
        {
          id: challengeId('Ann', 'api_login'),
          purpose: 'api_login',
          answer: { code: '000000' },
        },
        NOW,
      ),
  },
  {
    name: 'spending a backup code, which works once',
    work: (tx, { people }) => spendBackupCode(tx, TEST_SECRETS.encryptionKey, people.ann.id, 'aaaaa-aaaaa', NOW),
    runs: 2,
  },
  {
    name: 'turning two-factor on by a code',
    work: async (tx, { people }) => {
      const context = contextOf(tx);
      await beginTwoFactor(context, people.ann, 'email', later(1));
      const answer = { code: await findQueuedCode(tx) };
      await confirmTwoFactor(context, answer, { actor: people.ann, origin: SYSTEM }, later(2));
    },
    runs: 2,
  },
  {
    name: 'turning two-factor off by a code',
    prepare: async (tx, { people }) => {
      for (const { id } of Object.values(people)) await turnOn(tx, 'email', id);
    },
    work: async (tx, { people }) => {
      const context = contextOf(tx);
      await beginTwoFactor(context, people.ann, 'email', later(1));
      const answer = { code: await findQueuedCode(tx) };
      await disableTwoFactor(context, answer, { actor: people.ann, origin: SYSTEM }, later(2));
    },
  },
  {
    name: 'asking for another address of one’s own',
    work: askForAddress,
    runs: 2,
  },
  {
    name: 'asking for another address of one’s own when the account was deactivated at that moment',
    prepare: (tx, { people }) => set(tx, `update user_account set status = 'deactivated' where id = $1`, people.ann.id),
    work: askForAddress,
  },
  {
    name: 'confirming another address',
    work: (tx) => confirmAddressChange(tx, { token: 'Ann address', origin: SYSTEM }, NOW),
    runs: 2,
  },
  {
    name: 'changing one’s own profile',
    work: (tx, { people }) =>
      updateProfile(
        { db: tx, throttle: noThrottle },
        { phone: '+12025550170', timezone: 'Europe/Berlin' },
        { actor: people.ann, origin: SYSTEM },
        nothing,
        NOW,
      ),
    runs: 2,
  },
  {
    name: 'using a session',
    work: (tx) => findSession(tx, 'Ada desk', { idleSeconds: 3600 }, later(10)),
    runs: 2,
  },
  {
    name: 'polling with a session',
    work: (tx) => findSession(tx, 'Ada desk', { idleSeconds: 3600, active: false }, later(10)),
  },
  {
    name: 'confirming who one is in a session',
    work: (tx) => confirmSession(tx, 'Ada desk', later(10)),
  },
  {
    name: 'signing out of a session',
    work: (tx) => closeSession(tx, 'Ada desk'),
    runs: 2,
  },
  {
    name: 'signing out of the web frontend',
    work: (tx, { people }) => endWebSession(tx, people.ann.id, 'a sign-in'),
    runs: 2,
  },
  {
    name: 'deactivating an account',
    work: (tx, twins) => deactivateUser(tx, twins.people.ann.id, staffOf(twins)),
    runs: 2,
  },
  {
    name: 'deactivating an account by someone who was deactivated at that moment',
    prepare: (tx, { people }) =>
      tx.query({ text: `update user_account set status = 'deactivated' where id = $1`, values: [people.eve.id] }),
    work: (tx, twins) => deactivateUser(tx, twins.people.bob.id, staffOf(twins)),
  },
  {
    name: 'resetting two-factor of someone with a short password',
    prepare: (tx) => set(tx, `update user_account set two_factor_method = 'email', password_stands_alone = false`),
    work: (tx, twins) => resetTwoFactor(tx, twins.people.ann.id, staffOf(twins)),
    runs: 2,
  },
  {
    name: 'inviting again, which waits a minute each time',
    prepare: async (tx) => {
      await set(tx, `update user_account set status = 'invited' where first_name in ('Ann', 'Ben')`);
      await set(tx, `update password_reset set purpose = 'invitation'`);
    },
    work: (tx, twins, round) => {
      const now = later([59.999, 60, 119.999, 120][round] ?? 0);
      return resendInvitation(tx, twins.people.ann.id, { ...staffOf(twins), now });
    },
    runs: 4,
  },
  ...CONTACT_CHANGES.map(
    (change): Command => ({
      name: `editing the ${Object.keys(change)[0]} of staff without managing roles`,
      work: (tx, twins) => {
        const { bob } = twins.people;
        const edit = { ...bob, phone: '+12025550164', ...change };
        const none = { announceName: nothing, leaveChains: nothing };
        return editUser(tx, bob.id, edit, { ...staffOf(twins), manages_roles: false }, none);
      },
    }),
  ),
  ...[
    ['was deactivated', `status = 'deactivated'`],
    ['was deactivated without a password', `status = 'deactivated', password_hash = null`],
    ['was erased', `status = 'deactivated', erased_at = now()`],
  ].map(([what, change]) => ({
    name: `reactivating someone who ${what}`,
    prepare: (tx: Transaction, { people }: Twins) =>
      tx.query({ text: `update user_account set ${change} where id = $1`, values: [people.ann.id] }),
    work: (tx: Transaction, twins: Twins) => reactivateUser(tx, twins.people.ann.id, staffOf(twins)),
    runs: 2,
  })),
  ...['first_name', 'last_name'].map((field) => ({
    name: `editing the ${field.replace('_', ' ')} of a person who is on two cases`,
    work: (tx: Transaction, twins: Twins) => {
      const { ann } = twins.people;
      const edit = { ...ann, phone: '+12025550161', [field]: 'Renamed' };
      return editUser(tx, ann.id, edit, staffOf(twins), { announceName, leaveChains: nothing });
    },
    runs: 2,
  })),
  {
    name: 'signing in from a place with an address, a language, and a long name of a browser, and from one without',
    work: (tx, { people: { ann } }, round) =>
      recordSignIn(
        tx,
        ann.id,
        'api',
        round === 0
          ? { ip: '2001:db8::7', user_agent: 'x'.repeat(401), accept_language: 'de-CH,de;q=0.9' }
          : { ip: 'unknown', user_agent: '' },
        NOW,
      ),
    runs: 2,
  },
  {
    name: 'editing a person’s address',
    work: (tx, twins) =>
      editUser(
        tx,
        twins.people.ann.id,
        { ...twins.people.ann, email_address: 'moved@twins.test', phone: '+12025550161' },
        staffOf(twins),
        {
          announceName: nothing,
          leaveChains: (part, user_id) => leaveChainsOfOtherAgencies(part, { user_id }),
        },
      ),
    runs: 2,
  },
];
