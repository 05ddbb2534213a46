import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Person } from '../api/api-shapes.ts';
import { caseState, chainTitle, chainWith, initials, roleInChain, sentence } from './chain-words.ts';

const me = { id: 1, type: 'intended_parent' };
const person = (user_id: number, name: string, user_type: Person['user_type'] = 'surrogate'): Person => ({
  user_type,
  user_id,
  name,
});

test('a chain is named by its subject, else by whom it is with', () => {
  const participants = [person(1, 'Me', 'intended_parent'), person(2, 'Sara Lind')];
  assert.equal(chainTitle({ subject: ' Travel ', participants }, me), 'Travel');
  assert.equal(chainTitle({ subject: '', participants }, me), 'Sara Lind');
  assert.equal(chainWith({ participants: [] }, me), 'Your escrow team');
});

test('many people fit into one line', () => {
  const participants = ['Ann', 'Bea', 'Cem', 'Dia'].map((name, index) => person(index + 2, name));
  assert.equal(chainWith({ participants }, me), 'Ann, Bea and 2 more');
});

test('the admin who owns a chain is its escrow specialist', () => {
  const admin = { user_type: 'admin', user_id: 9 } as const;
  assert.equal(roleInChain(admin, { assigned_admin_id: 9 }), 'Escrow specialist');
  assert.equal(roleInChain(admin, { assigned_admin_id: 8 }), 'Escrow team');
});

test('initials, states and fields are words', () => {
  assert.equal(initials('Mark Alvarez-Thompson'), 'MA');
  assert.equal(initials('Élodie'), 'É');
  assert.equal(initials('42'), '?');
  assert.equal(caseState('pending_funding').words, 'Waiting for funds');
  assert.equal(caseState('some_new_state').words, 'Some new state');
  assert.equal(sentence('photo_id'), 'Photo ID');
});
