import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createElement, type ReactElement } from 'react';
import type { CaseDocument, Chain, ChainWithMessages, Message } from '../api/api-shapes.ts';
import { type ShownPage, showPage } from '../test-page/shown-page.ts';
import { startBrowser } from '../test-page/test-browser.ts';

const browser = startBrowser();
Object.assign(process.env, {
  API_URL: 'http://api.test',
  NEXTAUTH_URL: 'http://localhost:3000',
  NEXTAUTH_SECRET: 'a secret of these tests alone, and long enough',
});
Object.assign(globalThis, { testRequest: { headers: new Headers() } });

const { CaseActivity } = await import('../cases/case-activity.tsx');
const { CaseDocuments } = await import('../cases/case-documents.tsx');
const { ChainHeader } = await import('../messages/chain-header.tsx');
const { ChainList } = await import('../messages/chain-list.tsx');
const { ChainView } = await import('../messages/chain-view.tsx');
const { NewMessage } = await import('../messages/compose/new-message.tsx');
const { Retraction } = await import('../messages/retraction.tsx');
const { ProofPage } = await import('../proof/proof-page.tsx');
const { WithdrawProof } = await import('../proof/withdraw-proof.tsx');
const { IdentityQuestion } = await import('../sign-in/identity-question.tsx');

const WAIT = 'You’re going faster than we can keep up. Try again in 24 seconds.';
const ME = { id: 71, name: 'Paige', userType: 'surrogate' } as const;
const AT = '2026-11-26T12:00:00Z';
const author = { from_id: 1, from_type: 'admin', created_at: AT } as const;
const sent: Message = {
  ...author,
  id: 1,
  chain_id: 9,
  from_name: 'Ann',
  to_id: 71,
  to_type: 'surrogate',
  to_admin: false,
  message: 'Text',
  viewed: AT,
  client_key: null,
  retracted_at: null,
  files: [],
};
const chain: Chain = {
  id: 9,
  subject: 'Travel',
  case_id: 3,
  status: 'open',
  assigned_admin_id: 1,
  chain_has_unread_msg_admin: false,
  unread_count: 0,
  participants: [],
  last_message: { ...author, id: 1, preview: 'Text' },
  created_at: AT,
};
const loaded: ChainWithMessages = { chain, messages: { data: [sent], next_cursor: 'c' } };
const page = { data: [], next_cursor: 'c' };
const document = { id: 5, filename: '5.pdf', can_delete: true, uploaded_by: { name: 'Ann' }, created_at: '2026-11-26T12:00:00Z' };
const proof = { id: 6, addressee: 'Clinic', amount_cents: 100 } as never;
const list = { me: ME, emptyText: 'Nothing yet.' };

/** Each part of a page that calls the API, the call that fails, and what the person does to make it. */
const PARTS: [part: string, make: () => ReactElement, call: string, does?: (page: ShownPage) => Promise<void>][] = [
  [
    'the activity of a case',
    () => createElement(CaseActivity, { caseId: 3, initial: page }),
    'GET /api/cases/3/timeline',
    (shown) => shown.press('Show earlier'),
  ],
  [
    'older documents',
    () => createElement(CaseDocuments, { caseId: 3, initial: page }),
    'GET /api/cases/3/documents',
    (shown) => shown.press('Show older ones'),
  ],
  [
    'a document that is removed',
    () => createElement(CaseDocuments, { caseId: 3, initial: { ...page, data: [document as CaseDocument] } }),
    'DELETE /api/cases/3/documents/5',
    async (shown) => {
      await shown.press('Remove 5.pdf');
      await shown.press('Remove it');
    },
  ],
  ['the list of conversations', () => createElement(ChainList, { ...list, initial: undefined }), 'GET /api/messages'],
  [
    'more conversations',
    () => createElement(ChainList, { ...list, initial: { data: [chain], next_cursor: 'c' } }),
    'GET /api/messages',
    (shown) => shown.press('Show more'),
  ],
  [
    'earlier messages',
    () => createElement(ChainView, { me: ME, initial: loaded }),
    'GET /api/messages/9',
    (shown) => shown.press('Show earlier messages'),
  ],
  [
    'a conversation that is marked as unread',
    () => createElement(ChainHeader, { chain, reader: { id: 71, type: 'surrogate' }, canBeUnread: true, onLeave: () => {} }),
    'POST /api/messages/9/unread',
    (shown) => shown.press('Mark as unread'),
  ],
  [
    'the people to write to',
    () => createElement(NewMessage, { me: ME, cases: [{ id: 3, name: 'Case 3' }] as never, wantedCase: 3 }),
    'GET /api/messages/recipients',
  ],
  [
    'a message that is taken back',
    () => createElement(Retraction, { message: sent, onClose: () => {} }),
    'DELETE /api/messages/9/1',
    (shown) => shown.press('Take it back'),
  ],
  [
    'a proof that is withdrawn',
    () => createElement(WithdrawProof, { caseId: 3, proof }),
    'POST /api/cases/3/proofs/6/withdraw',
    async (shown) => {
      await shown.press('Withdraw');
      await shown.press('Withdraw it');
    },
  ],
  [
    'a code that proves who the person is',
    () => createElement(IdentityQuestion, { problem: null, answer: () => {} }),
    'POST /api/user/me/two-factor',
    (shown) => shown.press('Use a code instead'),
  ],
];

for (const [part, make, call, does] of PARTS)
  test(`[RATE-3] ${part}: a person over a limit reads when to continue, and another rejection in the API’s words`, async () => {
    for (const [status, words] of [
      [429, WAIT],
      [422, 'Choose another day.'],
    ] as const) {
      browser.answers.set('GET /api/user/me', { status: 200, body: { two_factor_method: 'email' } });
      browser.answers.set(call, { status, body: { message: words }, headers: { 'retry-after': '24' } });
      const shown = await showPage(browser, make());
      await shown.settle();
      await does?.(shown);
      await shown.settle();
      assert.ok(
        browser.calls.some(({ method, path }) => `${method} ${path.split('?')[0]}` === call),
        `${call} in: ${browser.calls.map(({ method, path }) => `${method} ${path}`).join()}`,
      );
      const where = shown.elements((one) => one.matches('[role=alert], .field-error') && !one.matches('.sr-only'));
      assert.ok(
        where.some(({ textContent }) => textContent.includes(words)),
        `${status}: ${shown.text}`,
      );
      await shown.close();
      browser.forget();
      browser.local.clear();
    }
  });

test('[RATE-3, PROOF-3] the public page of a proof says how long to wait after too many wrong codes', async () => {
  for (const [retryAfter, words] of [
    ['1', 'Wait 1 second,'],
    ['59', 'Wait 59 seconds,'],
    ['61', 'Wait 2 minutes,'],
    ['soon', 'Wait 15 minutes,'],
  ] as const) {
    browser.answers.set('GET http://api.test/api/proof/x', { status: 429, headers: { 'retry-after': retryAfter } });
    const shown = await showPage(browser, await ProofPage({ params: Promise.resolve({ code: 'x' }) }));
    assert.ok(shown.text.includes(words), shown.text);
    await shown.close();
  }
});

/** The files that drop the error of a call, how often, and why nobody needs it. */
const SILENT: Record<string, [count: number, why: string]> = {
  'look/refresh-quietly.ts': [1, 'the page stays as it is until it is refreshed again'],
  'messages/use-live-updates.ts': [1, 'the call only finds out whether the session is over'],
  'messages/use-viewed.ts': [2, 'the next message in sight marks the earlier ones too'],
  'profile/picture-upload.tsx': [1, 'the browser cannot read the file, and nothing was called'],
  'session/end-session.ts': [1, 'its caller remembers that the API has to be called again'],
  'settings/sign-out-button.tsx': [2, 'there is one sentence for all of it, and the device is removed later'],
  'sign-in/code-form.tsx': [2, 'without an answer it is an outage, and starting again needs none'],
  'sign-in/identity-question.tsx': [1, 'without a known method the password is the only proof'],
};

test('[WEB-13] the error of a call is dropped only where nobody waits for its answer', () => {
  const cwd = fileURLToPath(new URL('..', import.meta.url));
  const exclude = (name: string) => name === 'node_modules' || name.startsWith('.');
  const files = globSync('*/**/*.{ts,tsx}', { cwd, exclude }).filter((file) => !/\.test\.ts$|^test-page\//.test(file));
  const silent = files.flatMap((file) => {
    const text = readFileSync(`${cwd}/${file}`, 'utf8');
    if (!/apiBrowser|sendChangeCode|uploadForm|turnPushOn|turnPushOff|endSession\(|fetch\(/.test(text)) return [];
    const count = text.match(/catch \{|(catch\(|,\s+)\(\) => (\{\}|undefined|null)\)?/g)?.length ?? 0;
    return count === 0 ? [] : [[file, count] as const];
  });
  assert.deepEqual(
    Object.fromEntries(silent),
    Object.fromEntries(Object.entries(SILENT).map(([file, [count]]) => [file, count])),
  );
});
