import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createElement } from 'react';
import type { Disbursement } from '../../api/api-shapes.ts';
import { EXAMPLE_REQUEST } from '../../test-page/example-request.ts';
import { showPage } from '../../test-page/shown-page.ts';
import { startBrowser } from '../../test-page/test-browser.ts';

const browser = startBrowser();
const { ApproveTogetherDialog } = await import('./approve-together-dialog.tsx');

const PAYMENTS: Disbursement[] = [
  { id: 1, category: 'travel', description: 'Flights', amount_cents: 10_001 },
  { id: 2, category: 'Gifts', description: 'Flowers', amount_cents: 20_020 },
  { id: 3, category: 'Medical', description: 'A scan', amount_cents: 300 },
  { id: 4, category: 'Other', description: 'A notary', amount_cents: 4_000 },
].map((payment) => ({ ...EXAMPLE_REQUEST, ...payment }));

/** How many of the payments are approved together, and what the dialog then says. */
const ROWS: [count: number, title: string, button: string, list: string, rest: string][] = [
  [1, 'this payment', '$100.01', 'FlightsTravel$100.01', '3 payments not listed here still wait for you.'],
  [2, '2 payments', '$300.21', 'FlightsTravel$100.01FlowersGifts$200.20', '2 payments not listed here still wait for you.'],
  [
    3,
    '3 payments',
    '$303.21',
    'FlightsTravel$100.01FlowersGifts$200.20A scanMedical$3.00',
    '1 payment not listed here still waits for you.',
  ],
  [4, '4 payments', '$343.21', 'FlightsTravel$100.01FlowersGifts$200.20A scanMedical$3.00A notaryOther$40.00', ''],
];

for (const [count, title, button, list, rest] of ROWS)
  test(`[BANK-9] an approver of ${title} for a new account reads which they are, their total, and how many are left`, async () => {
    const account = { version: 'a', last_four: '4321', previous_last_four: '1111', changed_at: '', changed_since_approval: true };
    const payee = { user_id: 5, name: 'Sarah Lindgren' };
    const together = PAYMENTS.slice(0, count);
    const change = { payee, account, payments: PAYMENTS, together, total_cents: 34_321, alarm: null };
    const page = await showPage(
      browser,
      createElement(ApproveTogetherDialog, { change: change as never, onApproved: () => {}, onClose: () => {} }),
    );
    const text = page.text;
    assert.ok(text.startsWith(`Approve ${title} for …4321?`), text);
    assert.ok(text.includes(`if Sarah Lindgren told you about the account ending in 4321`), text);
    assert.ok(text.endsWith(`${list}${rest}CancelApprove ${button}`), text);
    await page.close();
  });
