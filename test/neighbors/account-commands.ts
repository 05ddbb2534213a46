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
  requestOwnAddress,
  resendCode,
  resendInvitation,
  resetPassword,
  resetTwoFactor,
  type StaffChange,
  updateProfile,
} from '@case-platform/modules/accounts';
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
    expected: [
      [
        '+ audit_entry Ada system user.change_password',
        '+ delivery Ada email password_changed',
        '+ job deliver_email',
        '- admin_session Ada',
        'address_change Ada: ended_at',
        'user_account Ada: password_hash',
      ],
    ],
  },
  {
    name: 'resetting a password by a link, which works once',
    work: (tx) => resetPassword(tx, { token: 'Ann link', password: NEXT, origin: SYSTEM }, NOW),
    expected: [
      [
        '+ audit_entry Ann system user.reset_password',
        '+ delivery Ann email password_changed',
        '+ job deliver_email',
        '- admin_session Ann',
        '- admin_session Ann',
        'address_change Ann: ended_at',
        'password_reset Ann reset: used_at',
        'user_account Ann: password_hash',
      ],
      ['refused: invalid_input'],
    ],
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
    expected: [
      ['+ delivery Ann email two_factor_code', '+ job deliver_email', 'tfa_challenge Ann api_login: code_hash, sent_at'],
      ['refused: too_many_requests'],
      ['+ delivery Ann email two_factor_code', '+ job deliver_email', 'tfa_challenge Ann api_login: code_hash, sent_at'],
      ['refused: too_many_requests'],
      ['+ delivery Ann email two_factor_code', '+ job deliver_email', 'tfa_challenge Ann api_login: code_hash, sent_at'],
    ],
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
    expected: [['tfa_challenge Ann api_login: attempts', 'refused: wrong_code']],
  },
  {
    name: 'spending a backup code, which works once',
    work: (tx, { people }) => spendBackupCode(tx, TEST_SECRETS.encryptionKey, people.ann.id, 'aaaaa-aaaaa', NOW),
    expected: [['backup_code Ann: used_at'], []],
  },
  {
    name: 'turning two-factor on by a code',
    work: async (tx, { people }) => {
      const context = contextOf(tx);
      await beginTwoFactor(context, people.ann, 'email', later(1));
      const answer = { code: await findQueuedCode(tx) };
      await confirmTwoFactor(context, answer, { actor: people.ann, origin: SYSTEM }, later(2));
    },
    expected: [
      [
        '+ audit_entry Ann system user.two_factor_on',
        '+ delivery Ann email two_factor_changed',
        '+ delivery Ann email two_factor_code',
        '+ job deliver_email',
        '+ job deliver_email',
        '+ tfa_challenge Ann change',
        'tfa_challenge Ann change: used_at',
        'user_account Ann: two_factor_method, two_factor_since',
      ],
      ['+ delivery Ann email two_factor_code', '+ job deliver_email', '+ tfa_challenge Ann change', 'refused: two_factor_on'],
    ],
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
    expected: [
      [
        '+ audit_entry Ann system user.two_factor_off',
        '+ delivery Ann email two_factor_changed',
        '+ delivery Ann email two_factor_code',
        '+ job deliver_email',
        '+ job deliver_email',
        '+ tfa_challenge Ann change',
        '- backup_code Ann',
        '- backup_code Ann',
        'tfa_challenge Ann admin_login: used_at',
        'tfa_challenge Ann api_login: used_at',
        'tfa_challenge Ann change: used_at',
        'user_account Ann: two_factor_method, two_factor_secret, two_factor_since',
      ],
    ],
  },
  {
    name: 'asking for another address of one’s own',
    work: (tx, { people }) =>
      requestOwnAddress(
        { db: tx, throttle: noThrottle },
        'ann.new@twins.test',
        { actor: people.ann, origin: SYSTEM },
        TEST_URLS,
        NOW,
      ),
    expected: [
      [
        '+ address_change Ann',
        '+ audit_entry Ann system user.request_address',
        '+ delivery Ann email address_changed',
        '+ delivery Ann email address_link',
        '+ job deliver_email',
        '+ job deliver_email',
        'address_change Ann: ended_at',
      ],
      [
        '+ address_change Ann',
        '+ audit_entry Ann system user.request_address',
        '+ delivery Ann email address_changed',
        '+ delivery Ann email address_link',
        '+ job deliver_email',
        '+ job deliver_email',
        'address_change Ann: ended_at',
      ],
    ],
  },
  {
    name: 'confirming another address',
    work: (tx) => confirmAddressChange(tx, { token: 'Ann address', origin: SYSTEM }, NOW),
    expected: [
      [
        '+ audit_entry Ann system user.confirm_address',
        '+ delivery Ann email address_changed',
        '+ delivery Ann email address_changed',
        '+ job deliver_email',
        '+ job deliver_email',
        '+ job reassign_approvals',
        'address_change Ann: confirmed_at',
        'password_reset Ann reset: used_at',
        'tfa_challenge Ann admin_login: used_at',
        'tfa_challenge Ann api_login: used_at',
        'tfa_challenge Ann change: used_at',
        'user_account Ann: email_address',
      ],
      ['refused: invalid_input'],
    ],
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
    expected: [
      [
        '+ audit_entry Ann system user.update_own',
        '+ delivery Ann email phone_changed',
        '+ delivery Ann sms phone_changed',
        '+ job deliver_email',
        '+ job deliver_sms',
        'user_account Ann: phone, timezone',
      ],
      [],
    ],
  },
  {
    name: 'using a session',
    work: (tx) => findSession(tx, 'Ada desk', { idleSeconds: 3600 }, later(10)),
    expected: [['admin_session Ada: last_active_at'], []],
  },
  {
    name: 'polling with a session',
    work: (tx) => findSession(tx, 'Ada desk', { idleSeconds: 3600, active: false }, later(10)),
    expected: [[]],
  },
  {
    name: 'confirming who one is in a session',
    work: (tx) => confirmSession(tx, 'Ada desk', later(10)),
    expected: [['admin_session Ada: confirmed_at']],
  },
  {
    name: 'signing out of a session',
    work: (tx) => closeSession(tx, 'Ada desk'),
    expected: [['- admin_session Ada'], []],
  },
  {
    name: 'signing out of the web frontend',
    work: (tx, { people }) => endWebSession(tx, people.ann.id, 'a sign-in'),
    expected: [['+ ended_web_session Ann'], []],
  },
  {
    name: 'deactivating an account',
    work: (tx, twins) => deactivateUser(tx, twins.people.ann.id, staffOf(twins)),
    expected: [
      [
        '+ audit_entry Eve system user.deactivate',
        '+ job reassign_approvals',
        '- admin_session Ann',
        '- admin_session Ann',
        'address_change Ann: ended_at',
        'password_reset Ann reset: used_at',
        'user_account Ann: status',
      ],
      ['refused: deactivated'],
    ],
  },
  {
    name: 'deactivating an account by someone who was deactivated at that moment',
    prepare: (tx, { people }) =>
      tx.query({ text: `update user_account set status = 'deactivated' where id = $1`, values: [people.eve.id] }),
    work: (tx, twins) => deactivateUser(tx, twins.people.bob.id, staffOf(twins)),
    expected: [['refused: may_do_more']],
  },
  {
    name: 'resetting two-factor of someone with a short password',
    prepare: (tx) => set(tx, `update user_account set two_factor_method = 'email', password_stands_alone = false`),
    work: (tx, twins) => resetTwoFactor(tx, twins.people.ann.id, staffOf(twins)),
    expected: [
      [
        '+ audit_entry Eve system user.reset_two_factor',
        '+ delivery Ann email two_factor_changed',
        '+ job deliver_email',
        '- backup_code Ann',
        '- backup_code Ann',
        'tfa_challenge Ann admin_login: used_at',
        'tfa_challenge Ann api_login: used_at',
        'tfa_challenge Ann change: used_at',
        'user_account Ann: password_hash, password_stands_alone, two_factor_method, two_factor_since',
      ],
      ['refused: two_factor_off'],
    ],
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
    expected: [
      ['refused: too_many_requests'],
      [
        '+ audit_entry Eve system user.resend_invitation',
        '+ delivery Ann email invitation',
        '+ job deliver_email',
        '+ password_reset Ann invitation',
        'password_reset Ann invitation: used_at',
      ],
      ['refused: too_many_requests'],
      [
        '+ audit_entry Eve system user.resend_invitation',
        '+ delivery Ann email invitation',
        '+ job deliver_email',
        '+ password_reset Ann invitation',
        'password_reset Ann invitation: used_at',
      ],
    ],
  },
  ...[{ email_address: 'moved@twins.test' }, { phone: '+12025550168' }].map(
    (change): Command => ({
      name: `editing the ${Object.keys(change)[0]} of staff without managing roles`,
      work: (tx, twins) => {
        const { bob } = twins.people;
        const edit = { ...bob, phone: '+12025550164', ...change };
        const none = { announceName: nothing, leaveChains: nothing };
        return editUser(tx, bob.id, edit, { ...staffOf(twins), manages_roles: false }, none);
      },
      expected: [['refused: forbidden']],
    }),
  ),
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
    expected: [
      [
        '+ address_change Ann Eve',
        '+ audit_entry Eve system user.request_address',
        '+ delivery Ann email address_changed',
        '+ delivery Ann email address_link',
        '+ job deliver_email',
        '+ job deliver_email',
        'address_change Ann: ended_at',
      ],
      [
        '+ address_change Ann Eve',
        '+ audit_entry Eve system user.request_address',
        '+ delivery Ann email address_changed',
        '+ delivery Ann email address_link',
        '+ job deliver_email',
        '+ job deliver_email',
        'address_change Ann Eve: ended_at',
      ],
    ],
  },
];
