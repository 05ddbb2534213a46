import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Permission, RoleGrant } from '@case-platform/modules/accounts';
import { tightMarkup } from '../../../test/admin/tight-markup.ts';
import { staffFrame } from '../../../test/support/staff-frame.ts';
import { grantWords, roleGrants } from './role-grants.ts';
import { rolePage } from './role-page.ts';

/** Renders roles and waiting grants without a server. */

const AT = new Date('2026-11-23T12:00:00Z');
const frameOf = (...permissions: Permission[]) => staffFrame({ permissions, now: AT });
const GRANT: RoleGrant = {
  id: 8,
  admin_role_id: 3,
  role_name: 'Payer',
  user_id: 5,
  user_name: 'Felix Brandt',
  permissions: null,
  asked_by_name: 'Ruth Adeyemi',
  asked_at: AT,
  version: 'v',
  is_own: false,
  may_decide: true,
  has_second: true,
};

test('[ROLE-7, PERSON-2] a waiting grant is confirmed by another administrator, and refused or taken back by its own', () => {
  const shown = (more: Partial<RoleGrant>) => {
    const page = tightMarkup(roleGrants(frameOf('manage_roles'), [{ ...GRANT, ...more }]));
    const why = /<br>([^<]*?)<span/.exec(page)?.[1] ?? null;
    const forms = [...page.matchAll(/\/roles\/grants\/8\/(\w+)"[\s\S]*?<button[^>]*>(?:<svg[\s\S]*?<\/svg>)?\s*([^<]+)</g)];
    return [why, ...forms.map(([, path, words]) => `${path}: ${words?.trim()}`)];
  };
  const second = ' Nobody can do that right now. It takes another person who manages roles.';
  assert.deepEqual(shown({}), [null, 'confirm: Confirm', 'refuse: Refuse']);
  const own = 'You asked for this, so another administrator has to confirm it.';
  assert.deepEqual(shown({ may_decide: false, is_own: true }), [own, 'refuse: Take it back']);
  assert.deepEqual(shown({ may_decide: false, is_own: true, has_second: false }), [own + second, 'refuse: Take it back']);
  const mine = 'This is for you, so another administrator has to confirm it.';
  assert.deepEqual(shown({ may_decide: false }), [mine, 'refuse: Refuse']);
  assert.equal(grantWords(GRANT), 'Felix Brandt: Payer');
  assert.equal(grantWords({ ...GRANT, user_id: null, user_name: null }), 'Payer: more permissions');
});

test('[ROLE-4, ROLE-9, GUARD-9] an unused role is deleted by those who manage roles, and others read what it allows', () => {
  const role = { id: 3, name: 'Payer', version: 'v', permissions: ['make_payments', 'view_drs'] as Permission[] };
  const member = { id: 5, first_name: 'Felix', last_name: 'Brandt', email_address: 'f@demo.test', status: 'active' } as const;
  const view = { role, members: [], grants: [], done: undefined, refused: undefined };
  const shown = (more: Partial<Parameters<typeof rolePage>[1]>, ...permissions: Permission[]) => {
    const page = tightMarkup(rolePage(frameOf(...permissions), { ...view, ...more }));
    const ticked = [...page.matchAll(/value="(\w+)"\s+checked/g)].map(([, permission]) => permission).sort();
    return [page.includes('/roles/3/delete'), page.includes('/roles/3/name'), ticked.join(), page.includes('f@demo.test')];
  };
  const all = 'make_payments,view_drs';
  assert.deepEqual(shown({}, 'manage_roles'), [true, true, all, false]);
  assert.deepEqual(shown({ grants: [GRANT] }, 'manage_roles'), [false, true, all, false]);
  assert.deepEqual(shown({ members: [member] }, 'manage_roles', 'view_users'), [false, true, all, true]);
  assert.deepEqual(shown({ members: [member] }, 'manage_roles'), [false, true, all, false]);
  assert.deepEqual(shown({ members: [{ ...member, status: 'deactivated' }] }, 'manage_roles', 'view_users'), [
    false,
    true,
    all,
    false,
  ]);
  assert.deepEqual(shown({}, 'view_users'), [false, false, '', false]);
});
