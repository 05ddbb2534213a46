import '../test-page/load-tsx.ts';
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { mock, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isValidElement, type ReactElement, type ReactNode } from 'react';
import { showPage } from '../test-page/shown-page.ts';
import { startBrowser } from '../test-page/test-browser.ts';

const browser = startBrowser();
Object.assign(process.env, {
  API_URL: 'http://api.test',
  NEXTAUTH_URL: 'http://localhost:3000',
  NEXTAUTH_SECRET: 'a secret of these tests alone, and long enough',
});
let cookie = '';
Object.assign(globalThis, {
  testRequest: { cookies: { get: () => ({ value: cookie }) }, headers: new Headers({ 'x-path': '/' }) },
});

const { sealSession } = await import('../session/session-cookie.ts');
const { RefreshOnChange } = await import('./refresh-on-change.tsx');
const { reportCaseChange, takeStalePages } = await import('./case-changes.ts');
const { setLive } = await import('./live-state.ts');
const { CasePage } = await import('../cases/case-page.tsx');
const { CasesPage } = await import('../cases/cases-page.tsx');
const { DisbursementPage } = await import('../disbursements/disbursement-page.tsx');
const { DisbursementsPage } = await import('../disbursements/disbursements-page.tsx');
const { OthersDraftPage } = await import('../disbursements/others-draft.tsx');
const { HomePage } = await import('../home/home-page.tsx');
const { ProofsPage } = await import('../proof/proofs-page.tsx');
const { PaymentsPage } = await import('../statements/payments-page.tsx');
const { StatementPage } = await import('../statements/statement-page.tsx');

/** Every id differs, so that a page that listens to another one than its case's is noticed. */
const [CASE, REQUEST, READER, MAKER, PAYEE, SPECIALIST] = [3, 40, 500, 6000, 70_000, 800_000];
const IDS = [CASE, REQUEST, READER, MAKER, PAYEE, SPECIALIST, 1];

const REQUESTED = {
  id: REQUEST,
  case_id: CASE,
  status: 'draft',
  description: 'Vitamins',
  amount_cents: 100,
  submitted_by: { user_id: MAKER, name: 'Maya Maker', user_type: 'admin' },
  payee: { user_id: PAYEE, name: 'Pay Ee', user_type: 'surrogate' },
  whereabouts: { state: 'draft' },
  return: null,
};
const DETAILS = {
  id: CASE,
  name: 'Case 3',
  status: 'active',
  milestones: [],
  balance: null,
  people: [],
  escrow_specialist: { user_id: SPECIALIST, name: 'Eve' },
  approver: null,
};
/** Only what a page itself reads: its parts are not rendered. */
const BODIES: Record<string, unknown> = {
  [`/api/disbursements/${REQUEST}`]: REQUESTED,
  [`/api/cases/${CASE}`]: DETAILS,
  '/api/home': { unread_count: 0, unread_chains: 0, decisions: [], drafts: [], returned: [], incoming: null },
};

const params = (id: number) => ({ params: Promise.resolve({ id: String(id) }) });
const searched = { searchParams: Promise.resolve({}) } as never;
/** The file of each page, how it is made, and the case whose changes refresh it; null for the changes of all cases. */
const PAGES: [file: string, make: () => ReactNode | Promise<ReactNode>, caseId: number | null][] = [
  ['cases/case-page.tsx', () => CasePage(params(CASE)), CASE],
  ['cases/cases-page.tsx', () => CasesPage(searched), null],
  ['disbursements/disbursement-page.tsx', () => DisbursementPage(params(REQUEST)), CASE],
  ['disbursements/disbursements-page.tsx', () => DisbursementsPage(searched), null],
  ['disbursements/others-draft.tsx', () => OthersDraftPage({ draft: { ...REQUESTED, description: null } as never }), CASE],
  ['home/home-page.tsx', () => HomePage(), null],
  ['proof/proofs-page.tsx', () => ProofsPage(params(CASE)), CASE],
  ['statements/payments-page.tsx', () => PaymentsPage(searched), null],
  ['statements/statement-page.tsx', () => StatementPage({ ...params(CASE), searchParams: Promise.resolve({}) } as never), CASE],
];

/** The part of a page that refreshes it, of which there is one. */
function refresherIn(node: ReactNode): ReactElement[] {
  if (Array.isArray(node)) return node.flatMap(refresherIn);
  if (!isValidElement<{ children?: ReactNode }>(node)) return [];
  return node.type === RefreshOnChange ? [node] : refresherIn(node.props.children);
}

test.before(async () => {
  const token = { sub: String(READER), name: 'Ada', accessToken: 'a', refreshToken: 'r', userType: 'ip', sid: 's' };
  const later = Date.now() + 3_600_000;
  const times = { accessTokenExpires: later, refreshAt: later };
  const setup_status = { is_fully_setup: true, missing_fields: [] };
  cookie = (await sealSession({ ...token, ...times, setup_status } as never)) ?? '';
});

for (const [file, make, caseId] of PAGES)
  test(`[LIVE-5] ${file} is refreshed for ${caseId === null ? 'every case' : 'its case, and no other id on it'}`, async () => {
    const fetchOfBrowser = globalThis.fetch;
    mock.method(globalThis, 'fetch', async (url: string | URL) => {
      const path = new URL(String(url), 'http://api.test').pathname;
      return Response.json(BODIES[path] ?? { data: [], next_cursor: null });
    });
    const refreshers = refresherIn(await make());
    mock.restoreAll();
    assert.equal(globalThis.fetch, fetchOfBrowser);
    assert.equal(refreshers.length, 1);
    setLive(true);
    mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
    try {
      const page = await showPage(browser, refreshers[0] as ReactElement);
      const refreshing: number[] = [];
      for (const id of IDS) {
        browser.forget();
        await page.settle(() => reportCaseChange(id));
        if (browser.opened.includes('refresh')) refreshing.push(id);
        await page.settle(() => mock.timers.tick(1000));
      }
      await page.close();
      assert.deepEqual(refreshing, caseId === null ? IDS : [caseId]);
    } finally {
      mock.timers.reset();
      setLive(false);
      takeStalePages();
    }
  });

test('[LIVE-5] every page that refreshes itself is in the table', () => {
  const cwd = fileURLToPath(new URL('..', import.meta.url));
  const users = globSync('*/**/*.tsx', { cwd, exclude: (name) => name === 'node_modules' || name.startsWith('.') }).filter(
    (file) => readFileSync(`${cwd}/${file}`, 'utf8').includes('<RefreshOnChange'),
  );
  assert.deepEqual(users.sort(), PAGES.map(([file]) => file).sort());
});
