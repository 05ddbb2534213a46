import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createElement, type ReactElement } from 'react';
import type { Case, Chain, Payee } from '../api/api-shapes.ts';
import { EXAMPLE_REQUEST } from '../test-page/example-request.ts';
import { type ShownPage, showPage } from '../test-page/shown-page.ts';
import { startBrowser } from '../test-page/test-browser.ts';

/**
 * Every form that creates something: what is sent again after a lost answer has the same key if it says the same, and another
 * one after any change.
 */

const browser = startBrowser();
const { ChainView } = await import('../messages/chain-view.tsx');
const { NewMessage } = await import('../messages/compose/new-message.tsx');
const { DisbursementConversation } = await import('../disbursements/disbursement-conversation.tsx');
const { DisbursementForm } = await import('../disbursements/form/disbursement-form.tsx');
const { AskDialog, AlarmDialog } = await import('../disbursements/account-change-card/question-dialogs.tsx');
const { IssueProof } = await import('../proof/issue-proof.tsx');

type Act = (page: ShownPage) => Promise<void>;

interface KeyedForm {
  path: string;
  /** The form for a person who has never used it. */
  element: (userId: number) => ReactElement;
  fill: Act;
  send: Act;
  /** Brings the content back to the form after it could not be sent. */
  back?: Act;
  changes: Record<string, Act>;
  /** Changes that are undone before the form is sent. */
  undone: Record<string, Act>;
}

const type =
  (label: string, ...texts: string[]): Act =>
  async (page) => {
    for (const text of texts) await page.type(label, text);
  };
const press =
  (...names: string[]): Act =>
  async (page) => {
    for (const name of names) await page.press(name);
  };
const check =
  (...labels: string[]): Act =>
  async (page) => {
    for (const label of labels) await page.check(label);
  };
const inTurn =
  (...acts: Act[]): Act =>
  async (page) => {
    for (const act of acts) await act(page);
  };

const choose =
  (name: string, content: string, lastModified: number): Act =>
  (page) =>
    page.choose('Files to attach', new File([content], name, { lastModified }));
const FILES = inTurn(choose('a.pdf', 'x', 1000), choose('b.pdf', 'y', 1000));
const replace = (...file: Parameters<typeof choose>) => inTurn(press('Remove b.pdf'), choose(...file));
const FILE_CHANGES = {
  'a file more': choose('c.pdf', 'x', 1000),
  'a file twice': choose('b.pdf', 'y', 1000),
  'a file less': press('Remove b.pdf'),
  'no file': press('Remove a.pdf', 'Remove b.pdf'),
  'a file of another name': replace('c.pdf', 'y', 1000),
  'a file of another size': replace('b.pdf', 'yy', 1000),
  'a file of another date': replace('b.pdf', 'y', 1001),
};
const FILE_AGAIN = { 'the same file chosen again': replace('b.pdf', 'y', 1000) };

const ME = { name: 'Paige', userType: 'surrogate' } as const;
const about = {
  ...EXAMPLE_REQUEST,
  id: 7,
  case_id: 3,
  chain_id: null,
  payee: { user_id: 6, user_type: 'surrogate', name: 'Rosa Lane' },
} as const;
const payee = (user_id: number, name: string): Payee => ({
  user_type: 'surrogate',
  user_id,
  name,
  approver: null,
  needs_account: false,
  why: null,
  arrives: null,
  decide_by: null,
});
const cases = [3, 4].map((id) => ({ id, name: `Case ${id}` })) as Case[];
const chain: Chain = {
  id: 31,
  subject: 'Travel',
  case_id: 3,
  status: 'open',
  assigned_admin_id: 1,
  chain_has_unread_msg_admin: false,
  unread_count: 0,
  participants: [],
  last_message: { id: 1, preview: 'Hello', from_type: 'admin', from_id: 1, created_at: '2026-11-26T12:00:00Z' },
  created_at: '2026-11-26T12:00:00Z',
};

const FORMS: Record<string, KeyedForm> = {
  'a reply': {
    path: '/api/messages/31',
    element: (id) =>
      createElement(ChainView, {
        me: { ...ME, id },
        initial: { chain, messages: { data: [], next_cursor: null } },
      }),
    fill: inTurn(type('Message', 'Hello'), FILES),
    send: press('Send'),
    back: press('Edit'),
    changes: { 'the text': type('Message', 'Hello!'), ...FILE_CHANGES },
    undone: { 'the text': type('Message', 'Hello!', 'Hello'), ...FILE_AGAIN },
  },
  'a new message': {
    path: '/api/messages',
    element: (id) => createElement(NewMessage, { me: { id, name: 'Ann', userType: 'admin' }, cases, wantedCase: 4 }),
    fill: inTurn(type('Message', 'Hello'), type('Subject', 'Plans'), check('Rosa LaneSurrogate'), FILES),
    send: press('Send'),
    changes: {
      'the text': type('Message', 'Hello!'),
      'the subject': type('Subject', 'Plan'),
      'no subject': type('Subject', ''),
      'one recipient more': check('Ann LeeParent'),
      'another recipient': check('Ann LeeParent', 'Rosa LaneSurrogate'),
      'another case': inTurn(type('Case', '3'), (page) => page.settle(), check('Rosa LaneSurrogate')),
      ...FILE_CHANGES,
    },
    undone: {
      'the text': type('Message', 'Hello!', 'Hello'),
      'the subject': type('Subject', '', 'Plans'),
      'the recipients': check('Ann LeeParent', 'Ann LeeParent'),
      ...FILE_AGAIN,
    },
  },
  'a message about a request': {
    path: '/api/messages',
    element: (id) => createElement(DisbursementConversation, { disbursement: about, me: { ...ME, id } }),
    fill: type('Ask the escrow specialist about this request', 'When?'),
    send: press('Send message'),
    changes: { 'the text': type('Ask the escrow specialist about this request', 'Why?') },
    undone: { 'the text': type('Ask the escrow specialist about this request', 'When', 'When?') },
  },
  'a request': {
    path: '/api/cases/3/disbursements',
    element: (id) =>
      createElement(DisbursementForm, {
        me: { ...ME, id },
        caseId: 3,
        cases: [{ id: 3, name: 'Case 3' }],
        people: [payee(5, 'Paige'), payee(6, 'Rosa')],
        categories: ['Travel', 'Food'],
        benefits: [],
        availableCents: null,
        values: { amount: '', category: '', description: '', payee: 'surrogate:5' },
      }),
    fill: inTurn(type('Amount', '300'), check('Travel'), type('What is it for?', 'Train')),
    send: press('Save as draft'),
    changes: {
      'the amount': type('Amount', '300.01'),
      'the category': check('Food'),
      'the purpose': type('What is it for?', 'Bus'),
      'the payee': type('Who gets paid?', 'surrogate:6'),
    },
    undone: {
      'the amount': type('Amount', '30', '300.00'),
      'the category': check('Food', 'Travel'),
      'the purpose': type('What is it for?', 'Bus', 'Train'),
      'the payee': type('Who gets paid?', 'surrogate:6', 'surrogate:5'),
    },
  },
  'a proof of funds': {
    path: '/api/cases/3/proofs',
    element: () => createElement(IssueProof, { caseId: 3, available: 100 }),
    fill: type('Who is it for?', 'A clinic'),
    send: press('Issue the proof'),
    changes: { 'the addressee': type('Who is it for?', 'A clinic in Kent') },
    undone: { 'the addressee': type('Who is it for?', 'A', 'A clinic') },
  },
  'a question': {
    path: '/api/disbursements/7/question',
    element: () => createElement(AskDialog, { about, draft: 'Is it yours?', onAsked() {}, onClose() {} }),
    fill: async () => {},
    send: press('Send question'),
    changes: { 'the text': type('Your question', 'Is it new?') },
    undone: { 'the text': type('Your question', 'Is it', 'Is it yours?') },
  },
  'an alarm': {
    path: '/api/disbursements/7/question',
    element: () => createElement(AlarmDialog, { about, onAsked() {}, onClose() {} }),
    fill: type('What looks wrong?', 'The bank'),
    send: press('Stop all payments'),
    changes: { 'the text': type('What looks wrong?', 'The name') },
    undone: { 'the text': type('What looks wrong?', 'The', 'The bank') },
  },
};

test('[IDEMPOTENCY-1] the forms of this file are all that send a key', () => {
  const cwd = fileURLToPath(new URL('../', import.meta.url));
  const exclude = ['**/node_modules/**', '.next/**', '.built/**', '**/*.test.ts', 'api/api-browser.ts'];
  const files = globSync('**/*.{ts,tsx}', { cwd, exclude });
  const senders = files.filter((file) => /\bidempotencyKey\b/.test(readFileSync(`${cwd}${file}`, 'utf8')));
  assert.deepEqual(senders.sort(), [
    'disbursements/account-change-card/question-dialogs.tsx',
    'disbursements/form/save-disbursement.ts',
    'messages/compose/outbox.ts',
    'proof/issue-proof.tsx',
  ]);
});

let lastUser = 100;

/** Shows a form, fills it in, and sends it without an answer. @returns the page, and sends the form again. */
async function sendOnce({ path, element, fill, send, back }: KeyedForm) {
  const people = [
    { user_type: 'surrogate', user_id: 6, name: 'Rosa Lane' },
    { user_type: 'ip', user_id: 1, name: 'Ann Lee' },
  ];
  browser.answers.set('GET /api/messages/recipients', { status: 200, body: { data: people } });
  browser.answers.set(`POST ${path}`, { status: 500, body: { message: 'Words.' } });
  lastUser += 1;
  const page = await showPage(browser, element(lastUser));
  await page.settle();
  await fill(page);
  const keys = () => browser.calls.filter(({ method }) => method === 'POST').map(({ headers }) => headers.get('idempotency-key'));
  const sendAgain = async (): Promise<string> => {
    const before = keys().length;
    await send(page);
    await page.until('it failed', () => keys().length > before && page.text.includes('Words.'));
    await back?.(page);
    const key = keys().at(-1);
    assert.ok(typeof key === 'string' && key !== '');
    return key;
  };
  return { page, key: await sendAgain(), sendAgain };
}

for (const [name, form] of Object.entries(FORMS)) {
  test(`[IDEMPOTENCY-1] ${name} that says the same is sent again under the same key`, async () => {
    const { page, key, sendAgain } = await sendOnce(form);
    assert.equal(await sendAgain(), key, 'unchanged');
    for (const [what, act] of Object.entries(form.undone)) {
      await act(page);
      assert.equal(await sendAgain(), key, `${what}, changed and restored`);
    }
  });

  test(`[IDEMPOTENCY-1] ${name} that says something else is sent under another key`, async (t) => {
    const warned = t.mock.method(console, 'error');
    for (const [what, act] of Object.entries(form.changes)) {
      const { page, key, sendAgain } = await sendOnce(form);
      await act(page);
      const other = await sendAgain();
      assert.notEqual(other, key, what);
      assert.equal(await sendAgain(), other, `${what}, unchanged since`);
      await page.close();
    }
    assert.deepEqual(
      warned.mock.calls.map((call) => call.arguments),
      [],
      'React finds nothing wrong, such as two parts with the same key',
    );
  });
}
