import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Permission, UserRecord } from '@case-platform/modules/accounts';
import { tightMarkup } from '../../../test/admin/tight-markup.ts';
import { staffFrame } from '../../../test/support/staff-frame.ts';
import { parseRoleChoice, roleChoices } from './role-choice.ts';
import { editUserPage, invitePage } from './user-form.ts';
import { userPage } from './user-page.ts';

/** Renders the pages of a person without a server: in each state, of each type, for each permission. */

const NOW = new Date('2026-11-23T12:00:00Z');
const ME = 2;
const frameOf = (...permissions: Permission[]) => staffFrame({ userId: ME, permissions, now: NOW });
const USER = {
  id: 5,
  email_address: 'sam@demo.test',
  user_type: 'surrogate',
  first_name: 'Sam',
  last_name: 'Doe',
  agency_id: null,
  admin_role_id: null,
  status: 'active',
  phone: '+12025550143',
  timezone: 'UTC',
  agency_name: null,
  role_name: null,
  two_factor_method: null,
  open_sessions: 0,
  devices: 0,
  invited_at: null,
  invitation_expires_at: null,
  created_at: NOW,
  updated_at: NOW,
} as UserRecord;
const FILES = {
  profile_picture_url: 'https://files.test/picture',
  profile_picture_small_url: null,
  profile_picture_state: 'clean',
  profile_picture_problem: null,
  photo_id: { filename: 'id.png', size: 5, uploaded_at: NOW.toISOString() },
} as never;

type View = Parameters<typeof userPage>[1];
const ALL: Permission[] = ['view_users', 'edit_users', 'manage_roles', 'view_bank_accounts'];
const pageOf = (user: Partial<UserRecord>, permissions = ALL, view: Partial<View> = {}) =>
  tightMarkup(
    userPage(frameOf(...permissions), {
      user: { ...USER, ...user },
      cases: [],
      files: undefined,
      signIns: undefined,
      deliveries: undefined,
      entries: undefined,
      roles: [],
      grants: [],
      duties: undefined,
      waitingAddress: null,
      isStronger: false,
      done: undefined,
      refused: undefined,
      ...view,
    }),
  );
/** The ends of the addresses of a person's forms and links. */
const waysIn = (page: string) =>
  [...page.matchAll(/(?:action|href)="\/(?:users\/\d+|(bank-accounts))\/([\w-]+)"/g)].map(([, area, path]) => area ?? path);

test('[STAFF-5, GUARD-9] an account offers what its state and the reader’s role allow, and nothing to its owner', () => {
  const rows: [user: Partial<UserRecord>, ways: string[]][] = [
    [{}, ['edit', 'deactivate', 'bank-accounts']],
    [{ two_factor_method: 'app' }, ['edit', 'deactivate', 'reset-two-factor', 'bank-accounts']],
    [{ status: 'invited' }, ['edit', 'resend-invitation', 'deactivate']],
    [{ status: 'deactivated' }, ['edit', 'reactivate']],
    [{ user_type: 'admin', two_factor_method: 'sms' }, ['edit', 'deactivate', 'reset-two-factor', 'role']],
  ];
  for (const [user, ways] of rows) {
    const name = JSON.stringify(user);
    assert.deepEqual(waysIn(pageOf(user)), ways, name);
    const isRole = (way: string) => way === 'role' || way === 'bank-accounts';
    const others = ways.filter((way) => way === 'bank-accounts');
    assert.deepEqual(waysIn(pageOf(user, ALL, { isStronger: true })), others, `${name}, whose role allows more`);
    assert.deepEqual(
      waysIn(pageOf({ ...user, id: ME })),
      ways.filter((way) => way === 'edit' || isRole(way)),
      `${name}, one’s own`,
    );
    assert.deepEqual(waysIn(pageOf(user, ['view_users'])), [], name);
    const isOther = (way: string) => !isRole(way) && !(user.user_type === 'admin' && way === 'reset-two-factor');
    assert.deepEqual(waysIn(pageOf(user, ['edit_users'])), ways.filter(isOther), `${name}, without manage_roles`);
  }
  for (const permission of ['view_bank_accounts', 'edit_bank_accounts'] as const)
    assert.deepEqual(waysIn(pageOf({}, [permission])), ['bank-accounts'], permission);
});

test('[INVITE-2, API-9] an invitation works until its end, and says what to do after that', () => {
  const words = (invited_at: Date | null, invitation_expires_at: Date | null) => {
    const page = pageOf({ status: 'invited', invited_at, invitation_expires_at });
    return /The link works until|The link has expired|their link no longer works/.exec(page)?.[0];
  };
  assert.equal(words(NOW, new Date(NOW.getTime() + 1)), 'The link works until');
  assert.equal(words(NOW, NOW), 'The link has expired');
  assert.equal(words(null, null), 'their link no longer works');
});

test('[CASE-11, STAFF-5] deactivating names the work that someone else has to take over', () => {
  const words = (open_cases: number, open_chains: number, status: UserRecord['status'] = 'active') => {
    const page = pageOf({ user_type: 'admin', status }, ALL, { duties: { open_cases, open_chains } });
    return /They’re (?:still )?([^<.]*?)(?:, so someone else|\. Give that work)/.exec(page)?.[1] ?? null;
  };
  assert.equal(words(0, 0), null);
  assert.equal(words(1, 0), 'the escrow specialist of 1 open case');
  assert.equal(words(2, 1), 'the escrow specialist of 2 open cases and in charge of 1 open conversation');
  assert.equal(words(0, 99, 'deactivated'), 'in charge of 99 open conversations');
  assert.equal(words(0, 100), 'in charge of 100 open conversations or more');
});

test('[STAFF-7, PICTURE-1] a portrait is shown once it is clean, and a photo ID is opened with view_users', () => {
  const shown = (state: string, permissions = ALL) => {
    const page = pageOf({}, permissions, { files: { ...(FILES as object), profile_picture_state: state } as never });
    return ['https://files.test/picture', '/users/5/photo-id', 'Photo ID, 5 bytes'].map((part) => page.includes(part));
  };
  assert.deepEqual(shown('clean'), [true, true, true]);
  for (const state of ['waiting', 'failed', 'unknown']) assert.equal(shown(state)[0], false, state);
  assert.deepEqual(shown('clean', ['edit_users']), [true, false, true]);
  assert.ok(!pageOf({}).includes('Photo ID'), 'for readers who may not see files');
});

test('[SHOWN-3] contact details of a person are shown to those who may see people', () => {
  const parts = (...permissions: Permission[]) => {
    const page = pageOf({ two_factor_method: 'sms' }, permissions);
    return ['sam@demo.test', '+12025550143', 'By text message', 'No devices get notifications'].filter((part) =>
      page.includes(part),
    ).length;
  };
  assert.deepEqual([parts('view_users'), parts('edit_users'), parts('manage_roles')], [4, 4, 0]);
});

test('[ROLE-12] a chosen role stays chosen, and is not taken for one whose number begins alike', () => {
  const roles = [
    { id: 12, name: 'A', version: 'new' },
    { id: 1, name: 'B', version: 'v1' },
    { id: 120, name: 'C', version: 'v' },
  ];
  const refused = (admin_role_id: string) => ({ values: { admin_role_id } }) as never;
  assert.equal(roleChoices(roles, undefined, 1).chosen, '1@v1');
  assert.equal(roleChoices(roles, undefined, 12).chosen, '12@new');
  assert.equal(roleChoices(roles, undefined, null).chosen, '');
  assert.equal(roleChoices(roles, refused('12@old'), 1).chosen, '12@new');
  assert.equal(roleChoices(roles, refused(''), 1).chosen, '');
  assert.equal(roleChoices(roles, refused('7@v'), 1).chosen, '');
  assert.deepEqual(parseRoleChoice('12@old'), { admin_role_id: 12, version: 'old' });
  assert.deepEqual(parseRoleChoice(''), { admin_role_id: null, version: '' });
});

test('[STAFF-4, GUARD-9] the forms about a person have the fields that fit the type and the reader’s role', () => {
  const edit = (user: Partial<UserRecord>, ...permissions: Permission[]) => {
    const agencies = [{ id: 3, name: 'An agency' }];
    const page = tightMarkup(editUserPage(frameOf(...permissions), { user: { ...USER, ...user }, agencies, refused: undefined }));
    return [
      /name="email_address"[^>]*\sreadonly/.test(page),
      page.includes('name="agency_id"'),
      /sends? a new invitation/.test(page),
    ];
  };
  assert.deepEqual(edit({}, 'edit_users'), [false, false, false]);
  assert.deepEqual(edit({ status: 'invited' }, 'edit_users'), [false, false, true]);
  assert.deepEqual(edit({ user_type: 'admin' }, 'edit_users'), [true, false, false]);
  assert.deepEqual(edit({ user_type: 'admin' }, 'edit_users', 'manage_roles'), [false, false, false]);
  for (const user_type of ['cm', 'owner'] as const) assert.deepEqual(edit({ user_type }, 'edit_users'), [false, true, false]);
  for (const user_type of ['ip', 'ip_rep'] as const) assert.deepEqual(edit({ user_type }, 'edit_users'), [false, false, false]);
  const invite = (...permissions: Permission[]) =>
    String(invitePage(frameOf(...permissions), { agencies: [], roles: [] })).includes('name="admin_role_id"');
  assert.deepEqual([invite('edit_users'), invite('edit_users', 'manage_roles')], [false, true]);
});
