import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { createElement } from 'react';
import type { Disbursement, Home } from '../../api/api-shapes.ts';
import { EXAMPLE_REQUEST } from '../../test-page/example-request.ts';
import { type ShownPage, showPage } from '../../test-page/shown-page.ts';
import { startBrowser } from '../../test-page/test-browser.ts';

const browser = startBrowser();
const { DecisionPanel } = await import('./decision-panel.tsx');
const { DecisionList } = await import('./decision-list.tsx');

const T = (minute: number) => `2026-11-26T12:${String(minute).padStart(2, '0')}:00.000Z`;
const account = { version: 'a1', last_four: '4321', previous_last_four: '1111', changed_at: T(0), changed_since_approval: false };
const request = (more: Partial<Disbursement> = {}): Disbursement => ({
  ...EXAMPLE_REQUEST,
  id: 7,
  case_id: 3,
  amount_cents: 30_000,
  description: 'Train tickets',
  payee: { user_id: 5, user_type: 'surrogate', name: 'Paige Whitlock' },
  payee_account: account,
  submitted_by: { user_id: 5, user_type: 'surrogate', name: 'Paige Whitlock' },
  approver: { user_id: 1, user_type: 'intended_parent', name: 'Ann Lee' },
  updated_at: T(1),
  ...more,
});
const over = {
  category: 'Travel',
  cap_cents: 10_000,
  used_cents: 0,
  held_cents: 0,
  period: 'case' as const,
  over_by_cents: 20_000,
  left_cents: 0,
};
const path = (what: string) => `POST /api/disbursements/7/${what}`;
const answered = (more: Partial<Disbursement> = {}) => ({
  status: 200,
  body: request({ status: 'approved', updated_at: T(2), ...more }),
});

const clocks = () => mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'], now: Date.parse(T(10)) });
test.afterEach(() => mock.timers.reset());

const showPanel = (disbursement: Disbursement) =>
  showPage(browser, createElement(DecisionPanel, { disbursement, decides: true }));
const rerender = (page: ShownPage, disbursement: Disbursement, decides: boolean) =>
  page.show(createElement(DecisionPanel, { disbursement, decides }));

test('[REQUEST-19, REQUEST-9] an approval names the version, the account, and the excess that were shown, and can be undone for ten seconds', async () => {
  clocks();
  const page = await showPanel(request());
  browser.answers.set(path('approve'), answered());
  await page.press('Approve $300.00');
  assert.deepEqual(browser.changes, [
    `${path('approve')} {"version":"v1","over_by_cents":0,"undoable":true,"account_seen":"a1"}`,
  ]);
  assert.deepEqual(browser.opened, ['refresh']);
  assert.match(page.status[0] ?? '', /^Approved\. \$300\.00 is set aside/);
  assert.equal(document.activeElement?.id, 'decision-outcome');
  const undo = 'Undo the approval of $300.00';
  await page.press(undo);
  await page.settle(() => mock.timers.tick(599));
  await page.press(undo);
  assert.equal(browser.changes.length, 1, 'the second tap of a double tap undoes nothing');
  await page.settle(() => mock.timers.tick(1));
  browser.answers.set(path('undo-approval'), { status: 409, body: { code: 'conflict', message: 'Too late.' } });
  await page.press(undo);
  assert.deepEqual([page.problems, page.has(undo)], [['Too late.'], true]);
  assert.deepEqual(browser.opened, ['refresh'], 'a refresh would remove the message');
  browser.answers.set(path('undo-approval'), answered({ status: 'submitted', updated_at: T(3) }));
  await page.press(undo);
  assert.deepEqual([page.has(undo), page.has('Approve $300.00')], [false, true]);
  await page.press('Approve $300.00');
  assert.equal(browser.changes.length, 3, 'the second tap of a double tap approves nothing');
  await page.settle(() => mock.timers.tick(600));
  await page.press('Approve $300.00');
  await page.settle(() => mock.timers.tick(9_500));
  assert.equal(page.has(undo), true);
  await page.settle(() => mock.timers.tick(500));
  assert.equal(page.has(undo), false);
});

test('[REQUEST-19] what happened stays on the page, until the request waits again because something changed', async () => {
  const page = await showPanel(request());
  browser.answers.set(path('approve'), answered());
  await page.press('Approve $300.00');
  for (const [now, decides, isShown] of [
    [request(), true, true],
    [request({ status: 'approved', updated_at: T(2) }), false, true],
    [request({ status: 'approved', updated_at: T(4) }), false, true],
    [request({ version: 'v3', updated_at: T(4) }), true, false],
  ] as const) {
    await rerender(page, now, decides);
    assert.deepEqual([page.text.includes('is set aside'), page.has('Approve $300.00')], [isShown, !isShown], now.updated_at);
  }
});

test('[REQUEST-9] a rejection keeps the request, and one about another version says what changed', async () => {
  const page = await showPanel(request());
  for (const [answer, words, opened] of [
    [{ status: 422, body: { message: 'Not payable.' } }, ['Not payable.'], []],
    ['drop' as const, ['Failed to fetch'], []],
    [{ status: 409, body: { code: 'conflict', message: 'Decided.' } }, ['Decided.'], ['refresh']],
    [
      { status: 409, body: { code: 'changed', message: 'It changed.', current: request({ amount_cents: 40_000 }) } },
      ['It changed.'],
      ['refresh'],
    ],
    [
      { status: 409, body: { code: 'changed', message: 'It changed.', current: { ...request(), payee: null } } },
      ['It changed.'],
      ['refresh'],
    ],
  ] as const) {
    browser.forget();
    browser.answers.set(path('approve'), answer);
    await page.press('Approve $300.00');
    assert.deepEqual([page.problems, browser.opened], [words, opened]);
    const isNamed = typeof answer === 'object' && 'current' in answer.body && answer.body.current.payee !== null;
    assert.equal(page.text.includes('The amount was $300.00. It is $400.00 now.'), isNamed);
  }
});

test('[REQUEST-9] an open confirmation shows and sends the version that it was opened with', async () => {
  const page = await showPanel(request({ benefit: over }));
  await page.press('Approve $300.00');
  await page.until('the dialog', () => page.text.includes('Why approve more than the contract allows?'));
  await page.fire(
    page.elements((one) => one.tagName === 'BUTTON' && one.textContent === 'Approve $300.00').at(-1) ?? page.button(''),
    'click',
  );
  assert.deepEqual([page.problems, browser.changes], [['Say why. Everyone on the case can read it.'], []]);
  assert.equal(document.activeElement?.id, page.field('Why approve more than the contract allows?').id);
  await page.type('Why approve more than the contract allows?', 'Agreed by phone.');
  await rerender(page, request({ benefit: over, version: 'v2', amount_cents: 90_000 }), true);
  assert.equal(page.text.includes('$900.00'), false);
  browser.answers.set(path('approve'), answered());
  await page.fire(
    page.elements((one) => one.tagName === 'BUTTON' && one.textContent === 'Approve $300.00').at(-1) ?? page.button(''),
    'click',
  );
  const body = { version: 'v1', over_by_cents: 20_000, undoable: false, account_seen: 'a1', reason: 'Agreed by phone.' };
  assert.deepEqual(browser.changes, [`${path('approve')} ${JSON.stringify(body)}`]);
  assert.equal(page.has('Undo the approval of $300.00'), false, 'what a person had to think about is not undone by a tap');
});

test('[BANK-9] an approval for another account than before is confirmed, without a reason', async () => {
  const page = await showPanel(request({ payee_account: { ...account, changed_since_approval: true } }));
  await page.press('Approve $300.00');
  await page.until('the dialog', () => page.has('Approve for …4321'));
  browser.answers.set(path('approve'), answered());
  await page.press('Approve for …4321');
  assert.deepEqual(browser.changes, [
    `${path('approve')} {"version":"v1","over_by_cents":0,"undoable":false,"account_seen":"a1"}`,
  ]);
});

test('[REQUEST-9] a denial needs a reason, which another dialog keeps, and what stops a payment stops only its approval', async () => {
  const page = await showPanel(request({ not_payable: { reason: 'no_account', sentence: 'Paige has no bank account.' } }));
  assert.ok(page.button('Approve $300.00').hasAttribute('disabled'));
  await page.press('Deny');
  await page.until('the dialog', () => page.has('Deny the request'));
  await page.type('Reason', '  ');
  await page.press('Deny the request');
  assert.deepEqual([page.problems, browser.changes], [['Say why, so they know what to do next.'], []]);
  await page.type('Reason', 'Not agreed.');
  await page.press('Cancel');
  await page.press('Deny');
  await page.until('the dialog', () => page.has('Deny the request'));
  assert.deepEqual([page.problems, page.field('Reason').value], [[], 'Not agreed.']);
  browser.answers.set(path('deny'), answered({ status: 'denied' }));
  await page.press('Deny the request');
  assert.deepEqual(browser.changes, [`${path('deny')} {"version":"v1","reason":"Not agreed."}`]);
  assert.match(page.status[0] ?? '', /^Denied\./);
  assert.equal(browser.calls.at(-1)?.keepalive, true, 'a decision arrives also if its page is left at once');
});

test('[BANK-10] a question or an alarm is sent once, with one key for each text', async () => {
  const page = await showPanel(request());
  await page.press('Ask Paige');
  await page.until('the dialog', () => page.has('Send question'));
  await page.press('Send question');
  assert.deepEqual([page.problems, browser.changes], [['Write your question.'], []]);
  const keys = () => browser.calls.filter(({ method }) => method === 'POST').map(({ headers }) => headers.get('idempotency-key'));
  await page.type('Your question', 'Was that you?');
  browser.answers.set(path('question'), 'drop');
  await page.press('Send question');
  assert.deepEqual(page.problems, ['Failed to fetch']);
  await page.press('Send question');
  await page.type('Your question', 'Was it you?');
  browser.answers.set(path('question'), { status: 200, body: { chain_id: 9, stopped: false } });
  await page.press('Send question');
  const [first, second, third] = keys();
  assert.ok(first !== null && first === second && third !== second, 'another text is another message');
  assert.deepEqual(
    [browser.changes.at(-1), browser.opened],
    [`${path('question')} {"text":"Was it you?"}`, ['push /messages/9']],
  );
  await page.press('Sending…');
  assert.equal(keys().length, 3, 'it is not sent again while the conversation is loading');
  const other = await showPanel(request({ payee_account: { ...account, changed_since_approval: true } }));
  await other.press('I don’t trust this');
  await other.until('the dialog', () => other.has('Stop all payments'));
  await other.type('What looks wrong?', 'A stranger called.');
  await other.press('Stop all payments');
  assert.equal(browser.changes.at(-1), `${path('question')} {"text":"A stranger called.","alarm":true}`);
  assert.deepEqual([browser.opened.at(-1), other.has('Stop all payments')], ['refresh', false]);
});

test('[HOME-5] after a decision the focus goes to the next open request, and a double tap decides about nothing else', async () => {
  clocks();
  const decisions = [9, 8, 7].map((id) => ({ ...request({ id }), case_name: 'Case 3' })) as Home['decisions'];
  const me = { id: 1, name: 'Ann', userType: 'ip' } as const;
  const page = await showPage(browser, createElement(DecisionList, { decisions, me, nameCases: false }));
  const inCard = (id: number) => page.elements((one) => one.closest(`#decision-${id}`) !== null);
  const approve = async (id: number) => {
    browser.answers.set(`POST /api/disbursements/${id}/approve`, {
      status: 200,
      body: request({ id, status: 'approved', updated_at: T(2) }),
    });
    const button = inCard(id).find((one) => one.tagName === 'BUTTON' && one.textContent === 'Approve $300.00');
    assert.ok(button);
    await page.fire(button, 'click');
  };
  await approve(8);
  assert.equal(document.activeElement?.id, 'decision-7');
  assert.match(page.status.join(' '), /You can undo this for ten seconds\.$/);
  await page.settle(() => mock.timers.tick(599));
  await approve(7);
  assert.equal(browser.changes.length, 1);
  await page.settle(() => mock.timers.tick(1));
  await approve(7);
  assert.equal(document.activeElement?.id, 'decision-9', 'without a later one, to an earlier one');
  await page.settle(() => mock.timers.tick(600));
  await approve(9);
  assert.equal(document.activeElement?.id, 'decision-9', 'without an open one, to what happened');
  browser.answers.set('POST /api/disbursements/8/undo-approval', answered({ id: 8, status: 'submitted', updated_at: T(3) }));
  await page.settle(() => mock.timers.tick(600));
  const undo = inCard(8).find((one) => one.getAttribute('aria-label') === 'Undo the approval of $300.00');
  assert.ok(undo);
  await page.fire(undo, 'click');
  assert.equal(document.activeElement?.id, 'decision-8');
  assert.ok(page.status.includes('Undone. The request waits for your decision again.'));
});
