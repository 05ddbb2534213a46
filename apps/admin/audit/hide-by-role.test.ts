import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Permission } from '@case-platform/modules/accounts';
import { hideByRole } from './hide-by-role.ts';
import type { ShownEntry } from './hide-drafts.ts';

type Actor = Parameters<typeof hideByRole>[0];
const actorWith = (...permissions: Permission[]) =>
  ({ user: { id: 1 }, admin: { can: (value: Permission) => permissions.includes(value) } }) as unknown as Actor;
const shown = (entry: Partial<ShownEntry>, ...permissions: Permission[]) => {
  const [seen] = hideByRole(actorWith(...permissions), [
    { subject_label: '', before: null, after: null, ...entry } as ShownEntry,
  ]);
  return { label: seen?.subject_label, hidden: [...(seen?.hidden ?? [])].sort() };
};

test('[SHOWN-6] everyone on the staff sees these fields of a change of a person, and no others', () => {
  const open = ['first_name', 'last_name', 'timezone', 'user_type', 'status', 'role', 'asked_role', 'agency'];
  const closed = ['email_address', 'phone', 'two_factor_method', 'new_address', 'anything_else'];
  const fields = Object.fromEntries([...open, ...closed].map((field) => [field, 'x']));
  for (const entry of [{ before: fields }, { after: fields }]) {
    const change = { subject_type: 'user', subject_label: 'Ann Twin', ...entry };
    assert.deepEqual(shown(change), { label: 'Ann Twin', hidden: closed.toSorted() });
    assert.deepEqual(shown(change, 'view_users').hidden, []);
  }
});

test('[SHOWN-6] a role sees the label and the fields of each kind of entry that it includes', () => {
  const fields = { before: { last_four: '1234' }, after: { last_four: '5678' } };
  const rows: [kind: string, label: string, needs: Permission[], seenWithout: { label: string; hidden: string[] }][] = [
    ['delivery', 'Ann', ['view_users'], { label: '', hidden: [] }],
    ['suppression', 'Ann', ['view_users'], { label: '', hidden: [] }],
    ['anything', 'ann@twins.test', ['view_users'], { label: '', hidden: [] }],
    ['chain', 'Talk', ['view_messages'], { label: '', hidden: [] }],
    ['message', 'Talk', ['view_messages'], { label: '', hidden: [] }],
    ['bank_account', 'Ann', ['view_bank_accounts', 'edit_bank_accounts'], { label: 'Ann', hidden: ['last_four'] }],
    ['bank_profile', 'Bank', ['view_bank_accounts', 'edit_bank_accounts'], { label: 'Bank', hidden: ['last_four'] }],
    ['case', 'Case One', [], { label: 'Case One', hidden: [] }],
  ];
  const others: Permission[] = ['view_audit_log', 'manage_roles', 'view_drs'];
  for (const [subject_type, subject_label, needs, without] of rows) {
    const entry = { subject_type, subject_label, ...fields };
    assert.deepEqual(shown(entry, ...others), without, subject_type);
    for (const one of needs) assert.deepEqual(shown(entry, one), { label: subject_label, hidden: [] }, one);
  }
});
