import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Person } from '../api/api-shapes.ts';
import { chainTitle, chainWith, roleInChain } from './chain-words.ts';

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
