import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Html } from '@case-platform/lib/html';
import { CATALOGUE, permissionsIn } from '@case-platform/modules/accounts';
import { tightMarkup } from '../../../test/admin/tight-markup.ts';
import { staffFrame } from '../../../test/support/staff-frame.ts';
import { agencyListPage } from '../agencies/agency-list.ts';
import { auditListPage } from '../audit/audit-list.ts';
import { batchListPage } from '../batches/batch-list.ts';
import { caseListPage } from '../cases/case-list.ts';
import { deliveryListPage } from '../deliveries/delivery-list.ts';
import { suppressionsPage } from '../deliveries/suppressions-page.ts';
import { disbursementListPage } from '../disbursements/disbursement-list.ts';
import { chainListPage } from '../inbox/chain-list.ts';
import { paymentListPage } from '../payments/payment-list.ts';
import { userListPage } from '../people/user-list.ts';

/** Every list with every filter: where its links lead, what its form sends, and what it says while it is empty. */

const permissions = (Object.keys(CATALOGUE) as (keyof typeof CATALOGUE)[]).flatMap(permissionsIn);
const frame = staffFrame({ permissions, now: '2026-11-23T12:00:00Z' });
const nobody = { refused: undefined, done: undefined };
const choices = [
  { id: 3, name: 'One' },
  { id: 5, name: 'Other' },
];
const staff = choices.map((one) => ({ ...one, role_name: null, may_answer: true, may_approve: true }));

interface List {
  /** The filters, each with a value. Their names are those of the address. */
  filters: Record<string, string | number>;
  /** The filters that the form does not send, because the list has a link instead. */
  notInForm?: readonly string[];
  cursor: string;
  cursors: readonly [string | number, string | number];
  /** The list without rows. */
  page: (query: never, next: never) => Html;
}

const VISIT = '00000000-0000-4000-8000-000000000001';
const LISTS: Record<string, List> = {
  '/agencies': {
    filters: {},
    cursor: 'after',
    cursors: [4, 9],
    page: ({ after }: { after?: number }, next_after: number | null) =>
      agencyListPage(frame, { data: [], after, next_after, refused: undefined }),
  },
  '/audit': {
    filters: {
      who: 'a@b.test',
      action: 'case.update',
      kind: 'case',
      case_id: 7,
      visit: VISIT,
      from: '2026-01-02',
      to: '2026-01-03',
    },
    cursor: 'before',
    cursors: [4, 9],
    page: (query: object, next_before: number | null) =>
      auditListPage(frame, { entries: [], actions: ['case.update'], next_before, query }),
  },
  '/batches': {
    filters: { status: 'approved' },
    cursor: 'cursor',
    cursors: ['here', 'there'],
    page: (query: object, next_cursor: string | null) =>
      batchListPage(frame, { batches: [], query, next_cursor, ready: 0, left_out: 0 }),
  },
  '/cases': {
    filters: { show: 'mine', status: 'active', agency_id: 5, specialist: '3', due: 'soon', q: 'fir', sort: 'name' },
    cursor: 'cursor',
    cursors: ['here', 'there'],
    page: (query: object, next_cursor: string | null) =>
      caseListPage(frame, {
        query: { show: 'all', ...query },
        cases: [],
        people: new Map(),
        activity: new Map(),
        agencies: choices,
        staff,
        next_cursor,
      }),
  },
  '/deliveries': {
    filters: { channel: 'sms', state: 'sent', event: 'new_message', person: 'ann', user_id: 8 },
    cursor: 'before',
    cursors: [4, 9],
    page: (query: object, next_before: number | null) =>
      deliveryListPage(frame, { deliveries: [], events: ['new_message'], next_before, query }),
  },
  '/deliveries/suppressions': {
    filters: {},
    cursor: 'before',
    cursors: [4, 9],
    page: ({ before }: { before?: number }, next_before: number | null) =>
      suppressionsPage(frame, { data: [], before, next_before, ...nobody }),
  },
  '/disbursements': {
    filters: { status: 'approved', case_id: 7, category: 'Travel', q: 'ride' },
    cursor: 'cursor',
    cursors: ['here', 'there'],
    page: (query: object, next_cursor: string | null) =>
      disbursementListPage(frame, { disbursements: [], changedRequests: [], next_cursor, query: { show: 'all', ...query } }),
  },
  '/disbursements?show=mine': {
    filters: { show: 'mine', case_id: 7, category: 'Travel', q: 'ride' },
    cursor: 'cursor',
    cursors: ['here', 'there'],
    page: (query: object, next_cursor: string | null) =>
      disbursementListPage(frame, { disbursements: [], changedRequests: [], next_cursor, query: { show: 'all', ...query } }),
  },
  '/messages': {
    filters: { show: 'unread', assigned: 'me', status: 'open', q: 'fir', case_id: 5 },
    cursor: 'cursor',
    cursors: ['here', 'there'],
    page: (query: object, next_cursor: string | null) =>
      chainListPage(frame, {
        query: { show: 'all', ...query },
        chains: [],
        caseNames: new Map(),
        unassigned: 1,
        cases: choices,
        search: undefined,
        problem: undefined,
        done: undefined,
        next_cursor,
      }),
  },
  '/payments': {
    filters: { state: 'paid' },
    notInForm: ['state'],
    cursor: 'cursor',
    cursors: ['here', 'there'],
    page: (query: object, next_cursor: string | null) => paymentListPage(frame, { due: [], paid: [], query, next_cursor }),
  },
  '/users': {
    filters: { q: 'ann', user_type: 'cm', status: 'invited', agency_id: 5, role_id: 3 },
    cursor: 'cursor',
    cursors: [4, 9],
    page: (query: object, next_cursor: number | null) =>
      userListPage(frame, { users: [], agencies: choices, roles: choices, query, next_cursor }),
  },
};

/** The words of each list while it is empty: without a filter, with most of them, and with some. */
const EMPTY: Record<string, { all: string; others: string; [filter: string]: string }> = {
  '/agencies': { all: 'No agencies yet', others: '' },
  '/audit': { all: 'No changes yet', others: 'No matching changes' },
  '/batches': { all: 'No batches yet', others: 'No batch matches' },
  '/cases': { all: 'You’re not on a case yet', others: 'No matching cases, Show all cases (/cases)' },
  '/deliveries': { all: 'Nothing sent yet', others: 'No matching deliveries' },
  '/deliveries/suppressions': { all: 'No blocked addresses', others: '' },
  '/disbursements': { all: 'No requests yet', others: 'No matching requests' },
  '/disbursements?show=mine': { all: 'No requests yet', others: 'No matching requests', show: 'Nothing is waiting for you' },
  '/messages': {
    all: 'No conversations here',
    others: 'No conversations here, Show all (/messages)',
    show: 'You’re all caught up',
    assigned: 'No conversations assigned to you',
    q: 'No conversation matches, Search everywhere (/messages?q=fir)',
  },
  '/payments': { all: 'Nothing is due', others: 'No matching payments' },
  '/users': { all: 'No matching people', others: 'No matching people' },
};

const render = ({ page }: List, query: object, next: string | number | null = null) =>
  tightMarkup(page(query as never, next as never)).replaceAll(/&#(\d+);/g, (_, code: string) =>
    String.fromCodePoint(Number(code)),
  );
const textsOf = (values: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));

/** The names and values that a browser would send with the list's form. */
function sentBy(text: string): Record<string, string> {
  const form = /<form[^>]* method="get"[\s\S]*?<\/form>/.exec(text)?.[0] ?? '';
  const sent: Record<string, string> = {};
  for (const [, attributes = ''] of form.matchAll(/<input([^>]*)>/g)) {
    const [name, value = ''] = ['name', 'value'].map((one) => new RegExp(` ${one}="([^"]*)"`).exec(attributes)?.[1]);
    const isSent = !attributes.includes('type="checkbox"') || /\schecked/.test(attributes);
    if (name !== undefined && isSent) sent[name] = value;
  }
  for (const [, name = '', options = ''] of form.matchAll(/<select[^>]* name="([^"]+)"[^>]*>([\s\S]*?)<\/select>/g)) {
    const [chosen = '', ...others] = [...options.matchAll(/<option value="([^"]*)"\s+selected/g)].map(([, value = '']) => value);
    assert.deepEqual(others, [], name);
    sent[name] = chosen;
  }
  return Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== ''));
}

for (const [path, list] of Object.entries(LISTS)) {
  const { filters, cursor, notInForm = [] } = list;
  const [here, there] = list.cursors;

  test(`[PAGE-3] ${path} keeps all of its filters on its first and its next page, and in its form`, () => {
    const text = render(list, { ...filters, [cursor]: here }, there);
    const nav = /<nav class="pager"[\s\S]*?<\/nav>/.exec(text)?.[0] ?? '';
    const links = [...nav.matchAll(/href="([^"]+)"/g)].map(([, href = '']) => {
      const { pathname, searchParams } = new URL(href, 'http://here.test');
      return { pathname, query: Object.fromEntries(searchParams) };
    });
    const [pathname = ''] = path.split('?');
    const first = { pathname, query: textsOf(filters) };
    assert.deepEqual(links, [first, { pathname, query: textsOf({ ...filters, [cursor]: there }) }]);
    const inForm = Object.entries(filters).filter(([name]) => !notInForm.includes(name));
    assert.deepEqual(sentBy(text), textsOf(Object.fromEntries(inForm)));
    assert.doesNotMatch(render(list, filters), /<nav class="pager"/, 'a list of one page');
  });
}

test('[PAGE-3] an empty list says whether a filter is the reason, whichever it is', () => {
  const words = (list: List, query: object) => {
    const [, state = ''] = /<div class="empty-state">([\s\S]*?)<\/div>/.exec(render(list, query)) ?? [];
    const links = [...state.matchAll(/<a [^>]*href="([^"]+)"[^>]*>([^<]+)/g)].map(([, href, name]) => `, ${name} (${href})`);
    return `${/<h2>([^<]+)/.exec(state)?.[1]}${links.join('')}`;
  };
  for (const [path, list] of Object.entries(LISTS)) {
    const { sort: _, ...filters } = list.filters;
    // A category is a filter within a case.
    const narrowed = Object.entries(filters).map(([name, value]) => {
      const query = { ...(name === 'category' ? { case_id: 7 } : {}), [name]: value };
      return [name, words(list, query)] as const;
    });
    const { all, others, ...own } = EMPTY[path] ?? assert.fail(path);
    assert.equal(words(list, {}), all, path);
    for (const [name, title] of narrowed) assert.equal(title, own[name] ?? others, `${path} ${name}`);
  }
});
