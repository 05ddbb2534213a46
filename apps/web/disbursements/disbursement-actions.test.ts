import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { type ComponentProps, createElement } from 'react';
import type { Disbursement } from '../api/api-shapes.ts';
import { EXAMPLE_REQUEST } from '../test-page/example-request.ts';
import { type ShownPage, showPage } from '../test-page/shown-page.ts';
import { startBrowser } from '../test-page/test-browser.ts';

const browser = startBrowser();
const { DisbursementDraft } = await import('./disbursement-draft.tsx');
const { DisbursementReceipts } = await import('./receipts/disbursement-receipts.tsx');
const { DisbursementConversation } = await import('./disbursement-conversation.tsx');
const { ReceiptPicture } = await import('./receipts/receipt-picture.tsx');
const { AccountChangeCards } = await import('./account-change-card/account-change-cards.tsx');
const { Clock } = await import('../look/clock.tsx');

test.afterEach(() => mock.timers.reset());

const file = (id: number) => ({
  id,
  filename: `${id}.pdf`,
  content_type: 'text/plain',
  url: `/${id}`,
  url_expires_at: '2026-11-26T13:00:00Z',
  size: 1,
  uploaded_by: { user_id: 2, user_type: 'surrogate' as const, name: 'Ann' },
  created_at: '2026-11-26T12:00:00Z',
});
const request = (more: Partial<Disbursement> = {}): Disbursement => ({
  ...EXAMPLE_REQUEST,
  id: 7,
  case_id: 3,
  version: 'v7',
  amount_cents: 30_000,
  payee: { user_id: 5, user_type: 'surrogate', name: 'Paige Whitlock' },
  payee_account: {
    version: 'a7',
    last_four: '4321',
    previous_last_four: '1111',
    changed_at: '2026-11-25T12:00:00Z',
    changed_since_approval: true,
  },
  submitted_by: { user_id: 5, user_type: 'surrogate', name: 'Paige Whitlock' },
  approver: { user_id: 1, user_type: 'intended_parent', name: 'Ann Lee' },
  status: 'draft',
  whereabouts: { ...EXAMPLE_REQUEST.whereabouts, state: 'draft', why: 'The bank sent it back.' },
  covered: true,
  ...more,
});

test('[REQUEST-1] a draft is sent, and a request is cancelled after a confirmation', async () => {
  const page = await showPage(browser, createElement(DisbursementDraft, { disbursement: request() }));
  const sending = Promise.withResolvers<object>();
  browser.answers.set('POST /api/disbursements/7/submit', () => sending.promise as never);
  await page.press('Send request');
  assert.ok(page.button('Sending…').hasAttribute('disabled'));
  await page.settle(() => sending.resolve({ status: 422, body: { message: 'Add a receipt.' } }));
  assert.deepEqual([page.problems, browser.opened], [['Add a receipt.'], []]);
  browser.answers.set('POST /api/disbursements/7/submit', { status: 200, body: request() });
  await page.press('Send request');
  assert.deepEqual([page.problems, browser.opened], [[], ['refresh']]);
  browser.forget();
  await page.press('Cancel the request');
  assert.ok(page.text.includes('Cancel this request for $300.00?'));
  await page.press('Keep it');
  assert.deepEqual([browser.changes, page.has('Keep it')], [[], false]);
  await page.press('Cancel the request');
  await page.fire(
    page.elements((one) => one.tagName === 'BUTTON' && one.textContent === 'Cancel the request').at(-1) ?? page.button(''),
    'click',
  );
  assert.deepEqual([browser.changes, page.has('Keep it')], [['POST /api/disbursements/7/cancel {}'], false]);
  const { whereabouts } = EXAMPLE_REQUEST;
  const rows: [Partial<Disbursement>, title: string, button: string][] = [
    [
      { whereabouts: { ...whereabouts, state: 'send_again', why: 'The bank sent it back.' } },
      'Send this request againThe bank sent it back.',
      'Send again',
    ],
    [{ status: 'submitted', whereabouts }, 'Sent for approval', 'Cancel the request'],
  ];
  for (const [more, title, has] of rows) {
    await page.show(createElement(DisbursementDraft, { disbursement: request(more) }));
    assert.ok(page.text.startsWith(title), page.text);
    assert.equal(page.has(has), true);
    assert.equal(page.has('Send request'), false);
  }
});

test('[REQUEST-12] receipts are removed after a confirmation only by those who may', async () => {
  const show = (mayAdd: boolean, mayRemove: boolean) =>
    createElement(DisbursementReceipts, { disbursement: request({ files: [file(1), file(2)] }), mayAdd, mayRemove });
  const page = await showPage(browser, show(true, true));
  browser.answers.set('DELETE /api/disbursements/7/files/2', { status: 409, body: { code: 'x', message: 'Sent already.' } });
  await page.press('Remove 2.pdf');
  await page.press('Remove it');
  assert.deepEqual(
    [browser.changes, page.problems, browser.opened],
    [['DELETE /api/disbursements/7/files/2 {}'], ['Sent already.'], ['refresh']],
  );
  await page.choose('Choose a receipt', new File(['x'], 'a.exe'));
  assert.match(page.problems.join(), /can’t be used here/);
  await page.show(show(false, false));
  assert.deepEqual([page.has('Remove 2.pdf'), page.has('Add a receipt')], [false, false]);
});

test('[CHAIN-9] the first message about a request names it, goes to its maker from staff, and links the conversation', async () => {
  for (const [userType, id, recipients] of [
    ['surrogate', 5, undefined],
    ['admin', 2, '[{"user_type":"surrogate","user_id":5}]'],
  ] as const) {
    browser.forget();
    const me = { id, name: 'Me', userType } as const;
    const page = await showPage(browser, createElement(DisbursementConversation, { disbursement: request(), me }));
    const label = `Ask ${userType === 'admin' ? 'Paige Whitlock' : 'the escrow specialist'} about this request`;
    assert.ok(page.button('Send message').hasAttribute('disabled'));
    await page.type(label, ' When? ');
    browser.answers.set('POST /api/messages', { status: 201, body: { chain: { id: 12 } } });
    browser.answers.set('PUT /api/disbursements/7/chain', 'drop');
    await page.press('Send message');
    await page.until('the failure', () => page.text.includes('We couldn’t send this message'));
    assert.equal(page.field(label).value, ' When? ');
    browser.answers.set('PUT /api/disbursements/7/chain', 200);
    await page.press('Try again');
    await page.until('the conversation', () => browser.opened.length > 0);
    const posts = browser.calls.filter(({ method }) => method === 'POST');
    const fields = { message: 'When?', subject: 'Request 7: Travel, $300.00', case_id: '3', ...(recipients && { recipients }) };
    assert.deepEqual(
      posts.map(({ body }) => body),
      [fields, fields],
    );
    assert.equal(new Set(posts.map(({ headers }) => headers.get('idempotency-key'))).size, 1);
    assert.deepEqual(
      [browser.changes.at(-1), browser.opened],
      ['PUT /api/disbursements/7/chain {"chain_id":12}', ['push /messages/12']],
    );
    await page.close();
  }
});

const NOW = Date.parse('2026-11-26T12:00:00Z');
const cards = (waiting: Disbursement[]) =>
  createElement(
    Clock,
    { zone: 'UTC', now: NOW, isChosen: true } as ComponentProps<typeof Clock>,
    createElement(AccountChangeCards, { waiting }),
  );
const waiting = (id: number, more: Partial<Disbursement> = {}) =>
  request({ id, version: `v${id}`, status: 'submitted', ...more });

test('[BANK-9] payments for a changed account are approved together, and the card says which were not', async () => {
  mock.timers.enable({ apis: ['Date'], now: NOW });
  const over = {
    category: 'Travel',
    period: 'case',
    cap_cents: 1,
    used_cents: 0,
    held_cents: 0,
    left_cents: 0,
    over_by_cents: 1,
  } as const;
  const list = [waiting(7), waiting(8), waiting(9, { benefit: over })];
  const page = await showPage(browser, cards(list));
  await page.press('Approve for …4321');
  await page.until('the dialog', () => page.has('Approve $600.00'));
  assert.ok(page.text.includes('1 payment not listed here still waits for you.'));
  await page.show(cards([waiting(7)]));
  assert.equal(page.has('Approve $600.00'), true, 'a refresh does not change the list');
  const second = Promise.withResolvers<object>();
  browser.answers.set('POST /api/disbursements/8/approve', () => second.promise as never);
  await page.press('Approve $600.00');
  assert.ok(page.has('Approving 2 of 2…'));
  await page.settle(() => second.resolve({ status: 409, body: { message: 'It changed.' } }));
  await page.settle();
  assert.match(page.problems.join(), /Approved 1 of 2 payments, \$300\.00\$300\.00 for Train wasn’t approved\. It changed\./);
  assert.deepEqual(browser.opened, ['refresh']);
  await page.show(cards([]));
  assert.match(page.text, /Approved 1 of 2 payments/, 'what was done stays after the requests are gone');
});

test('[BANK-9] the button is there only with payments to approve together, without drafts of others', async () => {
  mock.timers.enable({ apis: ['Date'], now: NOW });
  const benefit = { category: 'Travel', period: 'case', cap_cents: 1, used_cents: 0, held_cents: 0, left_cents: 0 } as const;
  const over = waiting(9, { benefit: { ...benefit, over_by_cents: 1 } });
  const draft = { ...waiting(8), payee: null, amount_cents: null } as never;
  const page = await showPage(browser, cards([over, draft]));
  assert.deepEqual([page.has('Approve for …4321'), page.has('Ask Paige')], [false, true]);
  assert.ok(page.text.includes('One of them can’t be approved here'), page.text);
});

test('[FILE-4] a picture keeps the address with which it was loaded, until that one fails', async () => {
  const show = (url: string) =>
    createElement(ReceiptPicture, { file: { ...file(1), filename: '1.png', content_type: 'image/png', url } as never });
  const page = await showPage(browser, show('/first'));
  const picture = () => page.elements(({ tagName }) => tagName === 'IMG')[0] as HTMLElement;
  for (const [act, expected] of [
    [() => page.show(show('/second')), '/first'],
    [() => page.fire(picture(), 'error'), '/second'],
    [() => page.show(show('/third')), '/second'],
  ] as const) {
    await act();
    assert.equal(picture().getAttribute('src'), expected);
  }
  assert.equal(page.elements(({ tagName }) => tagName === 'A')[0]?.getAttribute('href'), '/third', 'a link opens the newest');
});

test('[BANK-10] an alarm or a question about a changed account stays on the page as what was done', async () => {
  mock.timers.enable({ apis: ['Date'], now: NOW });
  for (const [button, label, action, body, words] of [
    [
      'Ask Paige',
      'Your question',
      'Send question',
      /^\{"text":"Hi Paige, .*4321\. Was that you\?"\}$/,
      'We sent your question to Paige Whitlock',
    ],
    [
      'I don’t trust this',
      'What looks wrong?',
      'Stop all payments',
      /^\{"text":"A stranger\.","alarm":true\}$/,
      'All payments to Paige Whitlock are stopped',
    ],
  ] as const) {
    browser.forget();
    browser.answers.set('POST /api/disbursements/7/question', {
      status: 200,
      body: { chain_id: 9, stopped: label.startsWith('What') },
    });
    const page: ShownPage = await showPage(browser, cards([waiting(7), waiting(8)]));
    await page.press(button);
    await page.until('the dialog', () => page.has(action));
    if (label.startsWith('What')) await page.type(label, 'A stranger.');
    await page.press(action);
    assert.match(JSON.stringify(browser.calls.at(-1)?.body), body);
    assert.deepEqual(
      [page.status.some((one) => one.startsWith(words)), page.has(action), browser.opened],
      [true, false, ['refresh']],
    );
    await page.close();
  }
  const own = { is_own: true, raised_at: '2026-11-26T12:00:00Z', raised_by_name: 'Ann', chain_id: 9 };
  for (const [alarm, words, hasLink] of [
    [own, 'You stopped all payments', true],
    [{ ...own, is_own: false }, 'Ann stopped all payments', false],
  ] as const) {
    const page = await showPage(browser, cards([waiting(7, { alarm })]));
    assert.ok(page.text.includes(words));
    assert.deepEqual([page.has('Open the conversation'), page.has('Ask Paige')], [hasLink, false]);
    await page.close();
  }
});
