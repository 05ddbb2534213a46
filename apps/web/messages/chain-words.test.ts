import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Person } from '../api/api-shapes.ts';
import { chainTitle, chainWith, nameAndRole, othersIn, roleInChain } from './chain-words.ts';

const me = { id: 1, type: 'intended_parent' };
const person = (user_id: number, name: string, user_type: Person['user_type'] = 'surrogate'): Person => ({
  user_type,
  user_id,
  name,
});

test('a conversation is named by its subject, or by its people if it has none', () => {
  const participants = [person(1, 'Me', 'intended_parent'), person(2, 'Sara Lind')];
  assert.equal(chainTitle({ subject: ' Travel ', participants }, me), 'Travel');
  assert.equal(chainTitle({ subject: '', participants }, me), 'Sara Lind');
  assert.equal(chainWith({ participants: [] }, me), 'Your escrow team');
});

test('the names of many people are shortened to one line', () => {
  const participants = ['Ann', 'Bea', 'Cem', 'Dia'].map((name, index) => person(index + 2, name));
  assert.equal(chainWith({ participants }, me), 'Ann, Bea and 2 more');
});

test('the admin who owns a chain is its escrow specialist', () => {
  const admin = { user_type: 'admin', user_id: 9 } as const;
  assert.equal(roleInChain(admin, { assigned_admin_id: 9 }), 'Escrow specialist');
  assert.equal(roleInChain(admin, { assigned_admin_id: 8 }), 'Escrow team');
});

test('one, two, and more people are named, and the reader is not', () => {
  const names = ['Ann', 'Bea', 'Cem', 'Dia'].map((name, index) => person(index + 2, name));
  const withSome = (count: number, reader = me) => chainWith({ participants: names.slice(0, count) }, reader);
  assert.deepEqual(
    [1, 2, 3, 4].map((count) => withSome(count)),
    ['Ann', 'Ann and Bea', 'Ann, Bea and 1 more', 'Ann, Bea and 2 more'],
  );
  assert.deepEqual([withSome(0), withSome(0, { id: 1, type: 'admin' })], ['Your escrow team', 'No recipients']);
  // A person's other record is a different participant of a conversation.
  const asSurrogate = person(1, 'Me as a surrogate');
  assert.deepEqual(othersIn({ participants: [person(1, 'Me', 'intended_parent'), asSurrogate] }, me), [asSurrogate]);
});

test('each role is named in a conversation, and only its owner is the escrow specialist', () => {
  const types = ['surrogate', 'intended_parent', 'case_manager', 'agency_owner', 'ip_company'] as const;
  assert.deepEqual(
    types.map((user_type) => roleInChain({ user_type, user_id: 9 }, { assigned_admin_id: 9 })),
    ['Surrogate', 'Parent', 'Case manager', 'Agency owner', 'Representative'],
  );
  assert.equal(roleInChain({ user_type: 'admin', user_id: 9 }, { assigned_admin_id: null }), 'Escrow team');
  assert.equal(nameAndRole('Sara Lind', 'Case manager'), 'Sara Lind, case manager');
  assert.equal(nameAndRole('ESCROW TEAM', 'Escrow team'), 'ESCROW TEAM');
});
