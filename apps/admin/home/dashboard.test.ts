import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CATALOGUE, type Permission, permissionsIn } from '@case-platform/modules/accounts';
import { toApiUserType, USER_TYPES, type UserType } from '@case-platform/words/user-types';
import { tightMarkup } from '../../../test/admin/tight-markup.ts';
import { staffFrame } from '../../../test/support/staff-frame.ts';
import { dashboardPage } from './dashboard.ts';
import { welcomePage } from './home.ts';

/** Renders the first page, and the frame around every page, without a server. */

const NOW = new Date('2026-11-23T12:00:00Z');
const frameOf = (...permissions: Permission[]) => staffFrame({ permissions, now: NOW });
type Dashboard = Parameters<typeof dashboardPage>[1];
const EMPTY: Dashboard = {
  unreadChains: null,
  unreadChainCount: 0,
  caseNames: new Map(),
  approvals: { data: [], next_cursor: null },
  changedRequests: [],
  sentBack: [],
  stops: [],
  batches: null,
  cash: [],
  returns: [],
  grants: [],
  cases: [],
  closing: [],
  unassigned: null,
  failed: null,
  done: undefined,
  refused: undefined,
};
const pageOf = (more: Partial<Dashboard>, frame = frameOf('approve_drs')) =>
  tightMarkup(dashboardPage(frame, { ...EMPTY, ...more }));
const leadOf = (page: string) => /<p class="page-lead">([^<]*)</.exec(page)?.[1];

const batch = (id: number, status: string, is_blocked = false) => ({
  id,
  status,
  is_blocked,
  entry_count: 2,
  total_cents: 500,
  created_at: NOW,
});
const many = (count: number, one: object = {}) => Array.from({ length: count }, () => one) as never;
const REQUEST = {
  id: 31,
  description: 'A ride',
  category: 'travel',
  case_id: 4,
  case_name: 'Case 4',
  amount_cents: 500,
  submitted_by: { name: 'Mae' },
  submitted_at: NOW,
  payee: { user_id: 6, name: 'Pia Payee' },
  whereabouts: { arrives: null, was: null },
  covered: null,
  returned_at: NOW,
  return: { who_acts: 'staff', reason: 'No money.' },
};

test('[HOME-2] the dashboard begins with everything that waits for the reader, each in its own words', () => {
  const cash = { case_id: 4, case_name: 'Case 4', kind: 'deposit', amount_cents: 5, recorded_by_name: 'Felix', recorded_at: NOW };
  const stop = { disbursement_id: 31, case_name: '', payee_name: '', raised_by_name: '', raised_at: NOW, reason: '' };
  const file = { id: 9, filename: 'a', uploaded_by_name: '', uploaded_at: NOW };
  const grant = { user_name: null, role_name: 'Payer', asked_at: NOW, asked_by_name: '' };
  const rows: [Partial<Dashboard>, string][] = [
    [{}, 'Nothing is waiting for you.'],
    [{ stops: many(1, stop) }, '1 person with stopped payments.'],
    [{ stops: many(2, stop) }, '2 people with stopped payments.'],
    [{ approvals: { data: many(2, REQUEST), next_cursor: null } }, '2 requests to approve.'],
    [{ sentBack: many(1, REQUEST) }, '1 payment sent back by the bank.'],
    [{ cash: many(1, cash) }, '1 deposit or refund to confirm.'],
    [{ cash: many(2, cash) }, '2 deposits or refunds to confirm.'],
    [{ returns: many(2, file) }, '2 return files to confirm.'],
    [{ grants: many(1, grant) }, '1 role change to confirm.'],
    [
      { batches: [batch(1, 'draft'), batch(2, 'generated'), batch(3, 'approved', true)] as never },
      '2 batches to approve or sign, 1 blocked batch.',
    ],
    [{ unassigned: 4, failed: 2 }, 'Nothing is waiting for you.'],
  ];
  for (const [more, lead] of rows) assert.equal(leadOf(pageOf(more)), lead);
  const unread = { ...frameOf(), unread: 3 };
  assert.equal(
    leadOf(pageOf({ unreadChains: [], unreadChainCount: 2, stops: many(1, stop) }, unread)),
    '1 person with stopped payments, 3 unread messages in 2 conversations.',
  );
});

test('[HOME-2, CHAIN-5] work for anyone on the staff is counted up to a hundred, and leads to its list', () => {
  const desk = (unassigned: number | null, failed: number | null) =>
    [...pageOf({ unassigned, failed }).matchAll(/class="desk-line" href="([^"]+)">[\s\S]*?<span>([^<]+)</g)].map(
      ([, href = '', words]) => `${words}: ${href.replaceAll('&#61;', '=')}`,
    );
  const [owner, failure] = ['/messages?assigned=nobody', '/deliveries?state=failed'];
  assert.deepEqual(desk(null, null), []);
  assert.deepEqual(desk(0, 0), []);
  assert.deepEqual(desk(1, 1), [`1 conversation needs an owner: ${owner}`, `1 delivery has failed: ${failure}`]);
  assert.deepEqual(desk(99, 2), [`99 conversations need an owner: ${owner}`, `2 deliveries have failed: ${failure}`]);
  assert.deepEqual(desk(100, 100), [
    `100 or more conversations need an owner: ${owner}`,
    `100 or more deliveries have failed: ${failure}`,
  ]);
});

test('[HOME-2, RETURN-7, BATCH-10] each part of the dashboard says whose turn it is, and leads to the rest', () => {
  const part = (id: string, more: Partial<Dashboard>, frame = frameOf('approve_drs')) => {
    const [, text = ''] = new RegExp(`aria-labelledby="${id}">([\\s\\S]*?)</section>`).exec(pageOf(more, frame)) ?? [];
    const words = (pattern: RegExp) => pattern.exec(text)?.[1]?.trim();
    return {
      title: words(/<h2[^>]*>([^<]+)/),
      all: words(/<h2[^>]*>[^<]*<a class="link" href="([^"]+)"/)
        ?.replaceAll('&#61;', '=')
        .replaceAll('&#38;', '&'),
      pills: [...text.matchAll(/class="state-pill ?([\w-]*)">([^<]+)/g)].map(([, look, pill]) => `${pill} ${look}`.trim()),
    };
  };
  const payee = { ...REQUEST, return: { who_acts: 'payee', reason: '' } };
  assert.deepEqual(part('sent-back', { sentBack: [REQUEST, payee] as never }), {
    title: 'Sent back by the bank',
    all: '/disbursements?status=returned',
    pills: ['Your turn is-waiting', 'Waiting for Pia Payee'],
  });
  assert.equal(
    part('approvals', { approvals: { data: many(5, REQUEST), next_cursor: 'more' } }).title,
    'To approve, the newest 5',
  );
  assert.equal(part('approvals', { approvals: { data: many(5, REQUEST), next_cursor: null } }).title, 'To approve');
  assert.equal(part('approvals', {}, frameOf()).title, undefined, 'a role that approves nothing');
  const batches = [batch(1, 'draft'), batch(2, 'generated'), batch(3, 'approved', true)];
  assert.deepEqual(part('batches', { batches: batches as never }), {
    title: 'Batches',
    all: '/batches',
    pills: ['Waiting for your approval is-waiting', 'Waiting for your signature is-waiting', 'Blocked is-refused'],
  });
  assert.equal(part('batches', { batches: [batch(1, 'draft'), batch(2, 'draft')] as never }).all, '/batches?status=draft');
  assert.equal(part('batches', { batches: [] }).all, '/batches');
  const closing = [{ id: 4, name: 'Case 4', status: 'active', close_due_on: '2026-11-30' }] as never;
  assert.equal(part('closing', { closing }).all, '/cases?specialist=2&due=soon');
});

test('[SIGN-IN-12] everyone who is not staff is led to their own application, in their own role', () => {
  for (const user_type of USER_TYPES.filter((type): type is Exclude<UserType, 'admin'> => type !== 'admin')) {
    const { actor, ...frame } = frameOf();
    const page = String(welcomePage({ ...frame, actor: { ...actor, user: { ...actor.user, user_type }, admin: null } }));
    const href = /href="(http:[^"]+)"/.exec(page)?.[1]?.replaceAll('&#61;', '=').replaceAll('&#38;', '&');
    assert.equal(href, `http://localhost:3000/login?role=${toApiUserType(user_type)}&callbackUrl=%2Fmessages`);
    assert.ok(page.includes('>Home</span>') && !page.includes('href="/cases"') && !page.includes('data-live-events'), user_type);
  }
});

test('[GUARD-9] each place of the navigation is shown to those whose role works there, and marked on all of its pages', () => {
  const placesOf = (path: string, ...permissions: Permission[]) => {
    const page = tightMarkup(dashboardPage({ ...frameOf(...permissions), path }, EMPTY));
    const [nav = ''] = /<nav class="shell-nav"[\s\S]*?<\/nav>/.exec(page) ?? [];
    return [...nav.matchAll(/<a class="shell-link[^"]*" href="([^"]+)"\s*(aria-current="page")?/g)].map(
      ([, href, mark]) => `${href}${mark === undefined ? '' : ' here'}`,
    );
  };
  const all = (Object.keys(CATALOGUE) as (keyof typeof CATALOGUE)[]).flatMap(permissionsIn);
  const needs: Partial<Record<Permission, string[]>> = {
    view_messages: ['/messages'],
    view_case_details: ['/cases'],
    view_drs: ['/disbursements', '/payments'],
    create_nacha: ['/batches', '/payments'],
    approve_nacha: ['/batches', '/payments'],
    make_payments: ['/batches', '/payments'],
    view_users: ['/users'],
    view_agencies: ['/agencies'],
    manage_roles: ['/roles', '/access'],
    view_audit_log: ['/audit'],
    view_deliveries: ['/deliveries'],
  };
  for (const permission of all)
    assert.deepEqual(placesOf('/account', permission), ['/', ...(needs[permission] ?? [])], permission);
  const marked = (path: string) =>
    placesOf(path, ...all)
      .filter((place) => place.endsWith('here'))
      .join();
  for (const [path, here] of [
    ['/', '/'],
    ['/cases', '/cases'],
    ['/cases/4/money', '/cases'],
    ['/batches/returns/9', '/batches'],
    ['/messages/7', '/messages'],
    ['/casesandmore', ''],
    ['/account', ''],
  ] as const)
    assert.equal(marked(path), here === '' ? '' : `${here} here`, path);
  const isLive = (...permissions: Permission[]) =>
    String(dashboardPage(frameOf(...permissions), EMPTY)).includes('data-live-events="/messages/events"');
  assert.deepEqual([isLive('view_messages'), isLive('view_users')], [true, false]);
});
