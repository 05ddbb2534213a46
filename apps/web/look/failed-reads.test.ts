import '../test-page/load-tsx.ts';
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isValidElement, type ReactNode } from 'react';
import { startBrowser } from '../test-page/test-browser.ts';

startBrowser();
Object.assign(process.env, {
  API_URL: 'http://api.test',
  NEXTAUTH_URL: 'http://localhost:3000',
  NEXTAUTH_SECRET: 'a secret of these tests alone, and long enough',
});
let cookie = '';
const cookies = { get: (name: string) => (name.includes('session') ? { value: cookie } : undefined) };
Object.assign(globalThis, { testRequest: { cookies, headers: new Headers({ 'x-path': '/' }) } });

const { sealSession } = await import('../session/session-cookie.ts');
const { ErrorState } = await import('./error-state.tsx');
const { CasePage } = await import('../cases/case-page.tsx');
const { CasesPage } = await import('../cases/cases-page.tsx');
const { DisbursementPage } = await import('../disbursements/disbursement-page.tsx');
const { DisbursementsPage } = await import('../disbursements/disbursements-page.tsx');
const { EditDisbursementPage } = await import('../disbursements/form/edit-disbursement-page.tsx');
const { NewDisbursementPage } = await import('../disbursements/form/new-disbursement-page.tsx');
const { HomePage } = await import('../home/home-page.tsx');
const { ChainPage } = await import('../messages/chain-page.tsx');
const { NewMessagePage } = await import('../messages/compose/new-message-page.tsx');
const { ProfilePage } = await import('../profile/profile-page.tsx');
const { ProofsPage } = await import('../proof/proofs-page.tsx');
const { SettingsPage } = await import('../settings/settings-page.tsx');
const { PaymentsPage } = await import('../statements/payments-page.tsx');
const { StatementPage } = await import('../statements/statement-page.tsx');

const DRAFT = {
  id: 40,
  case_id: 3,
  status: 'draft',
  description: 'Vitamins',
  amount_cents: 100,
  payee: { user_id: 7 },
  submitted_by: { user_id: 7 },
  whereabouts: { state: 'draft' },
  return: null,
};
const CASE = { id: 3, name: 'Case 3', status: 'active', milestones: [], people: [], categories: [], balance: null };
const PROFILE = { first_name: 'Ada', last_name: 'B', user_type: 'surrogate', email_address: 'a@x.test', setup_status: {} };
/** The bodies of successful reads. All others are empty lists. */
const BODIES: Record<string, unknown> = {
  '/api/disbursements/40': DRAFT,
  '/api/cases/3': { ...CASE, escrow_specialist: null, approver: null },
  '/api/cases': { data: [CASE], next_cursor: null },
  '/api/home': { unread_count: 0, unread_chains: 0, decisions: [], drafts: [], returned: [], incoming: null },
  '/api/user/me': PROFILE,
};

const params = (id: number) => ({ params: Promise.resolve({ id: String(id), chain_id: String(id) }) });
const searched = { searchParams: Promise.resolve({}) } as never;
const WAITING = '/api/disbursements?waiting_for_me=true&limit=100';
const OF_CASE = ['', '/payees', '/scheduled-payments', '/benefits'].map((part) => `/api/cases/3${part}`);
const PARTS_OF_CASE = ['scheduled-payments', 'projection', 'documents', 'timeline'].map((part) => `/api/cases/3/${part}`);
/** The file of each page, how it is made, and groups of the reads that it makes at the same time and cannot do without. */
const PAGES: [file: string, make: () => Promise<ReactNode>, reads: string[][]][] = [
  ['cases/case-page.tsx', () => CasePage(params(3)), [['/api/cases/3'], ['/api/cases/3/disbursements'], PARTS_OF_CASE]],
  ['cases/cases-page.tsx', () => CasesPage(searched), [['/api/cases']]],
  ['disbursements/disbursement-page.tsx', () => DisbursementPage(params(40)), [['/api/disbursements/40']]],
  ['disbursements/disbursements-page.tsx', () => DisbursementsPage(searched), [[WAITING, '/api/disbursements']]],
  ['disbursements/form/edit-disbursement-page.tsx', () => EditDisbursementPage(params(40)), [['/api/disbursements/40'], OF_CASE]],
  ['disbursements/form/new-disbursement-page.tsx', () => NewDisbursementPage(searched), [['/api/cases'], OF_CASE]],
  ['home/home-page.tsx', () => HomePage(), [['/api/home']]],
  ['messages/chain-page.tsx', () => ChainPage(params(9)), [['/api/messages/9']]],
  ['messages/compose/new-message-page.tsx', () => NewMessagePage(searched), [['/api/cases']]],
  ['profile/profile-page.tsx', () => ProfilePage(), [['/api/user/me'], ['/api/user/me/bank-account']]],
  ['proof/proofs-page.tsx', () => ProofsPage(params(3)), [['/api/cases/3/proofs']]],
  [
    'settings/settings-page.tsx',
    () => SettingsPage(),
    [['/api/user/me'], ['/api/user/me/sign-ins'], ['/api/notifications/subscriptions', '/api/notifications/preferences']],
  ],
  ['statements/payments-page.tsx', () => PaymentsPage(searched), [['/api/user/me/payments']]],
  [
    'statements/statement-page.tsx',
    () => StatementPage({ ...params(3), searchParams: Promise.resolve({}) } as never),
    [['/api/cases/3/statement']],
  ],
];
/** Files that show the error of something else than a read of the server. */
const OTHERS = ['app/error.tsx', 'messages/chain-list.tsx'];
/** Parts of pages that may show an error, and use no browser. */
const PARTS = ['Disbursements', 'Details', 'Account', 'NotLoaded'];

/** The texts of the errors in a page, also of one that is beside the fields for its period. */
function errorsIn(node: ReactNode): string[] {
  if (Array.isArray(node)) return node.flatMap(errorsIn);
  if (!isValidElement<{ children?: ReactNode; text?: string; problem?: string }>(node)) return [];
  const { type, props } = node;
  if (type === ErrorState) return [props.text ?? ''];
  if (typeof type === 'function' && PARTS.includes(type.name)) return errorsIn((type as (of: object) => ReactNode)(props));
  return [...(props.problem === undefined ? [] : [props.problem]), ...errorsIn(props.children)];
}

/** Makes the page while these reads have these statuses, and returns the texts of its errors. */
async function errorsOf(t: TestContext, make: () => Promise<ReactNode>, failing: ReadonlyMap<string, number>) {
  const failed = new Set<string>();
  const fetched = t.mock.method(globalThis, 'fetch', async (url: string | URL) => {
    const { pathname, search } = new URL(String(url));
    const key = [pathname + search, pathname].find((path) => failing.has(path) || path === WAITING) ?? pathname;
    const status = failing.get(key);
    if (status === undefined) return Response.json(BODIES[pathname] ?? { data: [], next_cursor: null });
    failed.add(key);
    return Response.json({ message: `Words for ${status}.` }, { status, headers: { 'retry-after': '24' } });
  });
  const errors = errorsIn(await make());
  fetched.mock.restore();
  assert.deepEqual([...failed].sort(), [...failing.keys()].sort(), 'the page makes these reads');
  return errors;
}

test.before(async () => {
  const token = { sub: '7', name: 'Ada', accessToken: 'a', refreshToken: 'r', userType: 'surrogate', sid: 's' };
  const later = Date.now() + 3_600_000;
  const setup_status = { is_fully_setup: true, missing_fields: [] };
  cookie = (await sealSession({ ...token, accessTokenExpires: later, refreshAt: later, setup_status } as never)) ?? '';
});

for (const [file, make, groups] of PAGES)
  test(`[RATE-3, WEB-13] ${file} shows what the API says about a rejected read, and its own words in an outage`, async (t) => {
    assert.deepEqual(await errorsOf(t, make, new Map()), [], 'no read fails');
    for (const group of groups) {
      for (const read of group) {
        for (const status of [400, 413, 422, 429]) {
          const errors = await errorsOf(t, make, new Map([[read, status]]));
          assert.deepEqual(errors, [`Words for ${status}.`], `${read} ${status}`);
        }
        const [inOutage = '', ...more] = await errorsOf(t, make, new Map([[read, 503]]));
        assert.match(inOutage, /Try again\.$/, read);
        assert.deepEqual(more, []);
        for (const other of group.filter((one) => one !== read)) {
          for (const status of [422, 503]) {
            const errors = await errorsOf(t, make, new Map([[read, 429]]).set(other, status));
            assert.deepEqual(errors, ['Words for 429.'], `${read} 429, ${other} ${status}`);
          }
        }
      }
    }
  });

test('[ERROR-2] a reader who may not see the limits, the payments, or another part of a case gets no error for it', async (t) => {
  const hidden = (paths: string[]) => new Map(paths.map((path, at) => [path, at % 2 === 0 ? 403 : 404]));
  assert.deepEqual(await errorsOf(t, () => CasePage(params(3)), hidden(PARTS_OF_CASE)), []);
  assert.deepEqual(await errorsOf(t, () => NewDisbursementPage(searched), hidden(OF_CASE.slice(2))), []);
});

test('[RATE-3] every page that shows an error is in the table', () => {
  const cwd = fileURLToPath(new URL('..', import.meta.url));
  const users = globSync('*/**/*.tsx', { cwd, exclude: (name) => name === 'node_modules' || name.startsWith('.') }).filter(
    (file) => readFileSync(`${cwd}/${file}`, 'utf8').includes('<ErrorState'),
  );
  assert.deepEqual(users.sort(), [...PAGES.map(([file]) => file), ...OTHERS].sort());
});
