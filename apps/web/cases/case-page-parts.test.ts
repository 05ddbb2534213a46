import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { commonPeriods, type Period } from '@case-platform/words/days';
import { STATEMENT_PDF_MAX } from '@case-platform/words/limits';
import { PDF_IS_TOO_LONG } from '@case-platform/words/money';
import { type ComponentProps, createElement } from 'react';
import type { CaseDocument, CaseEvent, Page } from '../api/api-shapes.ts';
import { showPage } from '../test-page/shown-page.ts';
import { startBrowser } from '../test-page/test-browser.ts';

const browser = startBrowser();
const { CaseActivity } = await import('./case-activity.tsx');
const { CaseDocuments } = await import('./case-documents.tsx');
const { CaseFilters } = await import('./case-filters.tsx');
const { DisbursementFilters } = await import('../disbursements/disbursement-filters.tsx');
const { InboxFilters, NothingFound } = await import('../messages/inbox-filters.tsx');
const { HomeBalance } = await import('../home/home-balance.tsx');
const { Clock } = await import('../look/clock.tsx');
const { IssueProof } = await import('../proof/issue-proof.tsx');
const { WithdrawProof } = await import('../proof/withdraw-proof.tsx');
const { Greeting } = await import('../home/greeting.tsx');
const { lazyDialog } = await import('../look/lazy-dialog.tsx');
const { PeriodBar } = await import('../statements/period-bar.tsx');

const T = (minute: number) => `2026-11-26T12:0${minute}:00Z`;
const event = (text: string, kind: CaseEvent['kind'] = 'request'): CaseEvent => ({ text, kind, at: T(0), url: '/x', by: null });
const events = (texts: string[], next_cursor: string | null, kind: CaseEvent['kind'] = 'request'): Page<CaseEvent> => ({
  data: texts.map((text) => event(text, kind)),
  next_cursor,
});
const TIMELINE = 'GET /api/cases/3/timeline';

test.afterEach(() => mock.timers.reset());

test('[TIMELINE-1] earlier events of the chosen kind are loaded, and the answer to an earlier choice is dropped', async () => {
  const initial = { data: [event('A', 'request'), event('B', 'money')], next_cursor: 'c1' };
  const page = await showPage(browser, createElement(CaseActivity, { caseId: 3, initial }));
  const shown = () =>
    page
      .elements((one) => one.getAttribute('class')?.startsWith('hover:underline') === true)
      .map(({ textContent }) => textContent);
  const late = Promise.withResolvers<{ status: number; body: object }>();
  browser.answers.set(TIMELINE, () => late.promise);
  await page.type('Kind of activity', 'request');
  assert.deepEqual([shown(), browser.reads], [['A'], ['/api/cases/3/timeline?limit=25&kind=request&cursor=c1']]);
  assert.ok(page.button('Loading…').hasAttribute('disabled'));
  browser.answers.set(TIMELINE, { status: 200, body: events(['M'], 'c2', 'money') });
  await page.type('Kind of activity', 'money');
  await page.settle(() => late.resolve({ status: 200, body: events(['R'], 'c9') }));
  assert.deepEqual(shown(), ['B', 'M']);
  assert.equal(browser.calls[0]?.signal?.aborted, true);
  browser.answers.set(TIMELINE, { status: 503, body: { message: 'Words.' } });
  await page.press('Show earlier');
  assert.deepEqual([page.problems, browser.reads.at(-1)], [['Words.'], '/api/cases/3/timeline?limit=25&kind=money&cursor=c2']);
  browser.answers.set(TIMELINE, { status: 200, body: events(['L'], null, 'money') });
  await page.press('Show earlier');
  assert.deepEqual([page.problems, shown(), page.has('Show earlier')], [[], ['B', 'M', 'L'], false]);
  browser.forget();
  await page.type('Kind of activity', '');
  assert.deepEqual([shown(), browser.reads, page.has('Show earlier')], [['A', 'B'], [], true]);
  await page.show(
    createElement(CaseActivity, { caseId: 3, initial: { data: [event('Z', 'request'), ...initial.data], next_cursor: 'c1' } }),
  );
  assert.deepEqual(shown(), ['Z', 'A', 'B']);
});

const doc = (id: number, more: Partial<CaseDocument> = {}): CaseDocument => ({
  id,
  filename: `${id}.pdf`,
  case_id: 3,
  content_type: 'application/pdf',
  picture_state: null,
  url: `/${id}?at=${T(0)}`,
  url_expires_at: null,
  size: 1,
  uploaded_by: { user_id: 2, user_type: 'surrogate', name: 'Ann' },
  created_at: T(0),
  can_delete: true,
  ...more,
});
const DOCUMENTS = 'GET /api/cases/3/documents';

test('[UPLOAD-10, FILE-4] older documents are read again before their addresses expire, and again after a failure', async () => {
  mock.timers.enable({ apis: ['Date'], now: 0 });
  const initial = () => ({ data: [doc(5), doc(4)], next_cursor: 'c1' });
  const page = await showPage(browser, createElement(CaseDocuments, { caseId: 3, initial: initial() }));
  const shown = () => page.elements((one) => one.tagName === 'A').map((one) => `${one.textContent} ${one.getAttribute('href')}`);
  const render = () => page.show(createElement(CaseDocuments, { caseId: 3, initial: initial() }));
  browser.answers.set(DOCUMENTS, { status: 200, body: { data: [doc(3)], next_cursor: null } });
  await page.press('Show older ones');
  assert.deepEqual([browser.reads, page.has('Show older ones')], [['/api/cases/3/documents?cursor=c1'], false]);
  mock.timers.setTime(30 * 60_000 - 1);
  await render();
  assert.equal(browser.reads.length, 1);
  mock.timers.setTime(30 * 60_000);
  browser.answers.set(DOCUMENTS, 503);
  await render();
  browser.answers.set(DOCUMENTS, { status: 200, body: { data: [doc(3, { url: '/new' })], next_cursor: null } });
  await render();
  assert.deepEqual(browser.reads.slice(1), [
    '/api/cases/3/documents?limit=100&cursor=c1',
    '/api/cases/3/documents?limit=100&cursor=c1',
  ]);
  assert.equal(shown().at(-1), '3.pdf /new');
  await render();
  assert.equal(browser.reads.length, 3);
});

test('[UPLOAD-10] a removed document stays away, one that cannot be removed stays, and both come newest first', async () => {
  const initial = { data: [doc(5), doc(4), doc(3, { can_delete: false })], next_cursor: null };
  const page = await showPage(browser, createElement(CaseDocuments, { caseId: 3, initial }));
  assert.deepEqual([page.has('Remove 5.pdf'), page.has('Remove 3.pdf')], [true, false]);
  browser.answers.set('DELETE /api/cases/3/documents/4', { status: 409, body: { message: 'Words.' } });
  for (const expected of [true, false]) {
    await page.press('Remove 4.pdf');
    await page.press('Remove it');
    assert.deepEqual([page.problems, page.has('Remove 4.pdf')], [expected ? ['Words.'] : ['Words.'], expected]);
    browser.answers.set('DELETE /api/cases/3/documents/4', 200);
  }
  browser.answers.set('POST /api/cases/3/documents/upload-url', {
    status: 200,
    body: { upload_url: '/bucket', upload_fields: {}, file_key: 'k' },
  });
  browser.answers.set('POST /bucket', 204);
  browser.answers.set('POST /api/cases/3/documents/confirm', { status: 200, body: doc(6) });
  await page.choose('Choose a document', new File(['x'], 'a.exe'));
  assert.match(page.problems.join(), /can’t be used here/);
  await page.choose('Choose a document', new File(['x'], '6.pdf', { type: 'application/pdf' }));
  await page.until('it is there', () => page.has('Remove 6.pdf'));
  assert.deepEqual(
    page.elements(({ tagName }) => tagName === 'A').map(({ textContent }) => textContent),
    ['6.pdf', '5.pdf', '3.pdf'],
  );
  assert.deepEqual(page.problems, []);
  await page.show(createElement(CaseDocuments, { caseId: 3, initial: { ...initial } }));
  assert.equal(page.has('Remove 4.pdf'), false, 'also if the page was rendered before it was removed');
});

test('[UPLOAD-10] older documents that cannot be loaded are named, and can be loaded again', async () => {
  const show = (data: CaseDocument[]) => createElement(CaseDocuments, { caseId: 3, initial: { data, next_cursor: 'c1' } });
  const page = await showPage(browser, show([doc(5)]));
  browser.answers.set(DOCUMENTS, { status: 503, body: { message: 'Words.' } });
  await page.press('Show older ones');
  assert.deepEqual(page.problems, ['Words.']);
  browser.answers.set(DOCUMENTS, { status: 200, body: { data: [doc(4)], next_cursor: null } });
  await page.press('Show older ones');
  assert.equal(page.has('Remove 4.pdf'), true);
  const upload = { upload_url: '/bucket', upload_fields: {}, file_key: 'k' };
  browser.answers.set('POST /api/cases/3/documents/upload-url', { status: 200, body: upload });
  browser.answers.set('POST /bucket', 204);
  browser.answers.set('POST /api/cases/3/documents/confirm', { status: 200, body: doc(6, { url: null }) });
  await page.choose('Choose a document', new File(['x'], '6.pdf', { type: 'application/pdf' }));
  await page.until('it is there', () => page.text.includes('6.pdf (being checked)'));
  await page.show(show([doc(6), doc(5)]));
  assert.equal(page.text.includes('being checked'), false);
});

const ms = (time: number) => mock.timers.tick(time);

test('[PROJECTION-2] the month in which money is short is this one or a later one by the reader’s calendar', async () => {
  const now = Date.parse('2026-12-01T03:00:00Z');
  mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'], now });
  const balance = { case_id: 3, case_name: 'Case 3', available_cents: 100, held_cents: 0, planned_cents: 200 };
  const shortfall = { month: '2026-12', missing_cents: 100 };
  const part = createElement(HomeBalance, { balance, shortfall, nameCase: false });
  for (const [zone, words] of [
    ['UTC', 'Not enough for December 2026'],
    ['America/New_York', 'Enough until December 2026'],
  ] as const) {
    const clock = { zone, now, isChosen: true } as ComponentProps<typeof Clock>;
    const page = await showPage(browser, createElement(Clock, clock, part));
    assert.ok(page.text.includes(words), page.text);
    await page.close();
  }
});

test('[PAGE-3] a search begins after a pause, once for the same words, and follows the address', async () => {
  mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'] });
  for (const [show, label, result] of [
    [
      (q?: string) => createElement(CaseFilters, { filter: { ...(q === undefined ? {} : { q }), status: 'active' as never } }),
      'Search cases',
      'replace /list?q=ann+lee&status=active',
    ],
    [
      (q?: string) => createElement(DisbursementFilters, { filter: { ...(q === undefined ? {} : { q }), caseId: 3 }, cases: [] }),
      'Search requests',
      'replace /list?case=3&q=ann+lee',
    ],
    [
      (q?: string) => createElement(InboxFilters, { filter: { ...(q === undefined ? {} : { q }), unread: true } }),
      'Search messages',
      'address /page?q=ann+lee&show=unread',
    ],
  ] as const) {
    browser.forget();
    const sorted = () =>
      browser.opened.map((one) => one.replace(/\?(.*)/, (_, query: string) => `?${query.split('&').sort().join('&')}`));
    const expected = result.replace(/\?(.*)/, (_, query: string) => `?${query.split('&').sort().join('&')}`);
    const page = await showPage(browser, show(), '/list?cursor=c2');
    await page.type(label, 'ann');
    await page.settle(() => ms(249));
    await page.type(label, ' ann lee ');
    await page.settle(() => ms(249));
    assert.deepEqual(browser.opened, [], label);
    await page.settle(() => ms(1));
    assert.deepEqual(sorted(), [expected]);
    await page.show(show('ann lee'));
    assert.equal(page.field(label).value, ' ann lee ', 'the answer to a search does not change what is typed');
    await page.type(label, 'ann lee');
    await page.settle(() => ms(1000));
    assert.equal(browser.opened.length, 1, 'the same words are not searched again');
    await page.show(show('bob'));
    assert.equal(page.field(label).value, 'bob', 'back in the history');
    await page.type(label, 'bo');
    await page.type(label, '');
    await page.settle(() => ms(250));
    assert.equal(browser.opened.length, 2);
    assert.doesNotMatch(browser.opened[1] ?? '', /q=/);
    await page.type(label, 'left');
    await page.close();
    ms(1000);
    assert.equal(browser.opened.length, 2, 'a page that was left searches nothing');
  }
});

test('[PAGE-3] a choice changes its part of the address, keeps the others, and begins with the first page', async () => {
  const cases = [
    { id: 3, name: 'Case 3' },
    { id: 4, name: 'Case 4' },
  ];
  for (const [element, label, choices] of [
    [createElement(CaseFilters, { filter: { q: 'x', sort: 'name' } }), 'Sort by', [['created_at', 'q=x&sort=created_at']]],
    [createElement(CaseFilters, { filter: { q: 'x', status: 'active' as never } }), 'State', [['', 'q=x']]],
    [
      createElement(DisbursementFilters, { filter: { q: 'x', caseId: 3 }, cases }),
      'Case',
      [
        ['', 'q=x'],
        ['4', 'case=4&q=x'],
      ],
    ],
    [
      createElement(DisbursementFilters, { filter: { q: 'x', status: 'paid' }, cases }),
      'State',
      [
        ['', 'q=x'],
        ['denied', 'q=x&status=denied'],
      ],
    ],
  ] as const) {
    const page = await showPage(browser, element, '/list?cursor=c2');
    for (const [choice, query] of choices) {
      browser.forget();
      await page.type(label, choice);
      const sent = browser.opened[0]?.replace(/.*\?/, '').split('&').sort().join('&');
      assert.equal(sent, query, `${label} ${choice}`);
    }
    await page.close();
  }
});

test('[PAGE-3] the inbox shows one state at a time, and keeps the search and the case', async () => {
  browser.answers.set('GET /api/cases', {
    status: 200,
    body: {
      data: [
        { id: 3, name: 'Case 3' },
        { id: 4, name: 'Case 4' },
      ],
      next_cursor: null,
    },
  });
  const page = await showPage(browser, createElement(InboxFilters, { filter: { q: 'x', caseId: 3, unread: true } }));
  await page.settle();
  const isPressed = (name: string) => page.button(name).getAttribute('aria-pressed');
  assert.deepEqual(['All', 'Unread', 'Open', 'Closed'].map(isPressed), ['false', 'true', 'false', 'false']);
  for (const [act, expected] of [
    [() => page.press('All'), 'case=3&q=x'],
    [() => page.press('Closed'), 'case=3&q=x&show=closed'],
    [() => page.type('Case', '4'), 'case=4&q=x&show=unread'],
    [() => page.type('Case', ''), 'q=x&show=unread'],
  ] as const) {
    browser.forget();
    await act();
    assert.equal(browser.opened[0]?.replace(/.*\?/, '').split('&').sort().join('&'), expected);
  }
});

test('[PAGE-3] a search is cleared by its button, and one without a result by showing everything', async () => {
  mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'] });
  const page = await showPage(browser, createElement(InboxFilters, { filter: { q: 'x', caseId: 3, unread: true } }));
  await page.press('Clear the search');
  assert.deepEqual([page.field('Search messages').value, document.activeElement], ['', page.field('Search messages')]);
  await page.settle(() => ms(250));
  assert.deepEqual([browser.opened, page.has('Clear the search')], [['address /page?show=unread&case=3'], false]);
  await page.close();
  browser.forget();
  const nothing = await showPage(browser, createElement(NothingFound, { filter: { q: 'x' } }));
  await nothing.press('Show all messages');
  assert.deepEqual(browser.opened, ['address /page']);
});

test('[IDEMPOTENCY-1] a proof for the same addressee has the same key until it is issued', async () => {
  const page = await showPage(browser, createElement(IssueProof, { caseId: 3, available: 100 }));
  const path = 'POST /api/cases/3/proofs';
  await page.press('Issue the proof');
  assert.deepEqual([page.problems, browser.calls], [['Enter who the proof is for.'], []]);
  const issue = async (addressee: string, answer: number | 'drop') => {
    browser.answers.set(path, answer);
    await page.type('Who is it for?', addressee);
    await page.press('Issue the proof');
  };
  await issue('Clinic', 'drop');
  await issue('Clinic', 201);
  await issue('Clinic', 'drop');
  await issue('Attorney', 201);
  const keys = browser.calls.map(({ headers }) => headers.get('idempotency-key'));
  assert.deepEqual([keys[0] !== null && keys[0] === keys[1], new Set(keys).size], [true, 3]);
  assert.deepEqual(
    [browser.changes.at(-1), browser.opened, page.field('Who is it for?').value],
    [`${path} {"addressee":"Attorney"}`, ['refresh', 'refresh'], ''],
  );
  browser.answers.set(path, { status: 422, body: { errors: [{ field: 'addressee', message: 'Too long.' }] } });
  await page.type('Who is it for?', 'X');
  await page.press('Issue the proof');
  assert.deepEqual(page.problems, ['Too long.']);
  for (const [available, has] of [
    [0, false],
    [-5, false],
    [1, true],
    [null, true],
  ] as const) {
    await page.show(createElement(IssueProof, { caseId: 3, available }));
    assert.equal(page.has('Issue the proof'), has, String(available));
  }
});

test('a proof is withdrawn after a confirmation, and a failure says why', async () => {
  const page = await showPage(browser, createElement(WithdrawProof, { caseId: 3, proof: { id: 9, addressee: 'Clinic' } }));
  const path = 'POST /api/cases/3/proofs/9/withdraw';
  for (const [answer, problems, opened] of [
    [{ status: 409, body: { message: 'Words.' } }, ['Words.'], []],
    [200, [], ['refresh']],
  ] as const) {
    browser.answers.set(path, answer);
    await page.press('Withdraw');
    await page.press('Withdraw it');
    assert.deepEqual([page.problems, browser.opened, page.has('Withdraw it')], [problems, opened, false]);
  }
  assert.deepEqual(browser.changes, [`${path} {}`, `${path} {}`]);
});

test('[STATEMENT-2] a statement is a PDF up to its limit of rows, always a CSV, and nothing for a wrong period', async () => {
  const period = { from: '2026-01-01', to: '2026-03-31' };
  const files = async (rows: number | undefined, problem?: string) => {
    const page = await showPage(
      browser,
      createElement(PeriodBar, {
        path: '/statement',
        period: problem === undefined ? period : undefined,
        query: period,
        source: '/api/x',
        problem,
        ...(rows === undefined ? {} : { rows }),
      }),
    );
    const links = page.elements<HTMLAnchorElement>((one) => one.hasAttribute('download'));
    const result = [links.map((one) => one.getAttribute('href')), page.text.includes(PDF_IS_TOO_LONG), page.problems];
    const days = ['From', 'To'].map((label) => page.field(label));
    assert.deepEqual(
      days.map((day) => [day.value, day.getAttribute('aria-invalid')]),
      [period.from, period.to].map((day) => [day, problem === undefined ? null : 'true']),
    );
    await page.close();
    return result;
  };
  const file = (format: string) => `/api/x?from=2026-01-01&to=2026-03-31&format=${format}`;
  for (const rows of [undefined, 0, STATEMENT_PDF_MAX])
    assert.deepEqual(await files(rows), [[file('pdf'), file('csv')], false, []]);
  assert.deepEqual(await files(STATEMENT_PDF_MAX + 1), [[file('csv')], true, []]);
  assert.deepEqual(await files(0, 'Words.'), [[], false, ['Words.']]);
});

test('[STATEMENT-2] of the common periods, the one with both days of the shown period is marked', async () => {
  mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-03-26T12:00:00Z') });
  const page = await showPage(browser, createElement('p'));
  const current = async (period: Period) => {
    await page.show(createElement(PeriodBar, { path: '/statement', period, query: {}, source: '/api/x' }));
    return page.elements((one) => one.hasAttribute('aria-current')).map(({ textContent }) => textContent);
  };
  for (const { words, from, to } of commonPeriods(new Date())) {
    assert.deepEqual(await current({ from, to }), [words]);
    assert.deepEqual(await current({ from, to: '2026-04-01' }), []);
    assert.deepEqual(await current({ from: '2020-01-02', to }), []);
  }
});

test('[HOME-1] the greeting has the first name, and none if the name is an email address', async () => {
  const greeting = async (name: string) => {
    const page = await showPage(browser, createElement(Greeting, { name }));
    const { text } = page;
    await page.close();
    return text.replace(/^Good (morning|afternoon|evening)/, '');
  };
  assert.deepEqual([await greeting('Paige Ann Whitlock'), await greeting('paige@x.test')], [', Paige', '']);
});

test('a dialog whose code cannot be loaded says that nothing was sent, and loads the page again', async () => {
  let closed = 0;
  const Dialog = lazyDialog<{ onClose: () => void }>(() => Promise.reject(new Error('offline')));
  const page = await showPage(browser, createElement(Dialog, { onClose: () => (closed += 1) }));
  await page.until('the problem', () => page.text.includes('We couldn’t open this'));
  assert.match(page.text, /Nothing was sent\./);
  await page.press('Load the page again');
  assert.deepEqual([browser.opened, closed], [['reload'], 0]);
  await page.press('Cancel');
  assert.deepEqual([browser.opened, closed], [['reload'], 1]);
});
