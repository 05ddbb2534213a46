import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Permission } from '@case-platform/modules/accounts';
import type { Disbursement, DisbursementStatus, PaymentStop } from '@case-platform/modules/disbursements';
import { tightMarkup } from '../../../test/admin/tight-markup.ts';
import { staffFrame } from '../../../test/support/staff-frame.ts';
import { accountChangeCards } from './account-change-cards.ts';
import { disbursementActions } from './disbursement-actions.ts';
import { disbursementFormPage } from './disbursement-form.ts';
import { disbursementReceipts } from './disbursement-receipts.ts';
import { stoppedPayments } from './payment-stop-forms.ts';

/** Renders parts of a request's page without a server: for every state, each reason, and each permission. */

const ME = 2;
const at = new Date('2026-11-20T10:00:00Z');
const frameOf = (...permissions: Permission[]) => staffFrame({ userId: ME, permissions, now: '2026-11-23T12:00:00Z' });
const person = (user_id: number, name: string) => ({ user_id, name, user_type: 'surrogate' as const });
const REQUEST: Disbursement = {
  id: 31,
  version: 'v',
  case_id: 4,
  case_name: 'Case 4',
  status: 'submitted',
  submitted_by: person(5, 'Mae Maker'),
  submitted_at: at,
  waiting_for: 'Waiting for Pat',
  waiting_since: null,
  whereabouts: {
    state: 'waiting_for_approval',
    label: 'Waiting for approval',
    holder: 'Pat',
    since: at,
    arrives: null,
    was: null,
    why: null,
    action: null,
  },
  created_at: at,
  updated_at: at,
  has_content: true,
  amount_cents: 12_345,
  category: 'travel',
  description: 'Flight to the clinic',
  payee: person(6, 'Pia Payee'),
  approver: person(7, 'Pat Approver'),
  decided_at: null,
  decision_reason: null,
  expected_bank_date: null,
  covered: null,
  paid_at: null,
  returned_at: null,
  return_code: null,
  return: null,
  not_payable: null,
  payee_account: null,
  alarm: null,
  chain_id: null,
  scheduled_payment_id: null,
};
const EVERYTHING: Permission[] = ['approve_drs', 'create_drs', 'edit_drs', 'view_messages', 'view_bank_accounts'];
const BACK = { code: 'R01', reason: 'No money.', what_to_do: 'Try again.', who_acts: 'staff', retry_needs: 'nothing' } as const;

interface Shown {
  permissions?: Permission[];
  onCase?: boolean;
  over?: number;
}
const actionsOf = (more: Partial<Disbursement> = {}, { permissions = EVERYTHING, onCase = true, over = 0 }: Shown = {}) => {
  const benefit = {
    category: 'Travel',
    period: 'case',
    cap_cents: 0,
    left_cents: 0,
    others_cents: 0,
    over_by_cents: over,
  } as never;
  const disbursement = { ...REQUEST, ...more };
  const shown = { disbursement, benefit, history: [], onCase, refused: undefined };
  return tightMarkup(disbursementActions(frameOf(...permissions), shown))
    .replaceAll(/&#61;/g, '=')
    .replaceAll(/&#38;/g, '&');
};
/** The forms of a part by the end of their address, with links to write and to an account. */
const formsIn = (page: string) =>
  [...page.matchAll(/(?:action|href)="\/(?:disbursements\/31|messages|bank-accounts)\/([^"#]+)"/g)].map(([, path]) => path);
const refusalIn = (page: string) => /class="notice is-waiting"[\s\S]*?<p>([^<]+)<\/p>/.exec(page)?.[1] ?? null;

test('[REQUEST-1, GUARD-9] each state offers its next steps to those who may take them, on their cases only', () => {
  const ALWAYS = { status: 'returned', return: BACK } as const;
  const rows: [state: Partial<Disbursement>, permissions: Permission[], forms: string[]][] = [
    [{ status: 'draft' }, ['edit_drs'], ['submit', 'edit', 'cancel']],
    [{ status: 'draft' }, ['create_drs'], []],
    [{ status: 'draft', submitted_by: person(ME, 'Ruth Adeyemi') }, ['create_drs'], ['submit', 'cancel']],
    [{ status: 'draft', submitted_by: person(ME, 'Ruth Adeyemi') }, ['approve_drs'], []],
    [{}, ['approve_drs'], ['approve', 'deny', 'alarm']],
    [{}, ['approve_drs', 'view_messages'], ['approve', 'deny', 'question', 'alarm']],
    [{}, ['edit_drs'], ['edit', 'cancel']],
    [{}, EVERYTHING, ['approve', 'deny', 'question', 'alarm', 'edit', 'cancel']],
    [{ submitted_by: person(ME, 'Ruth Adeyemi') }, EVERYTHING, ['edit', 'cancel']],
    [{ submitted_by: person(ME, 'Ruth Adeyemi') }, ['approve_drs', 'create_drs'], ['cancel']],
    [{ alarm: { raised_at: at, raised_by_name: 'Pat', is_own: false, chain_id: null } }, ['approve_drs'], ['approve', 'deny']],
    [{ not_payable: { reason: 'under_review', sentence: 'It is checked.' } }, ['approve_drs'], ['deny', 'alarm']],
    [ALWAYS, ['edit_drs'], ['retry', 'end']],
    [ALWAYS, ['approve_drs', 'create_drs'], []],
    [{ ...ALWAYS, return: { ...BACK, retry_needs: 'another_account' } }, ['edit_drs'], ['end']],
    [{ ...ALWAYS, return: { ...BACK, retry_needs: 'another_account' } }, ['edit_drs', 'view_bank_accounts'], ['6', 'end']],
    ...(['approved', 'batched'] as const).map((status): [Partial<Disbursement>, Permission[], string[]] => [
      { status },
      EVERYTHING,
      [],
    ]),
  ];
  for (const [state, permissions, forms] of rows) {
    const name = `${JSON.stringify(state)} ${permissions}`;
    assert.deepEqual(formsIn(actionsOf(state, { permissions })), forms, name);
    assert.deepEqual(formsIn(actionsOf(state, { permissions, onCase: false })), [], name);
  }
  assert.equal(actionsOf({ waiting_for: null }), '', 'nothing follows');
});

test('[PAYABLE-1] a payment that cannot be made says at each step what waits for that, and not beside an alarm', () => {
  const not_payable = { reason: 'no_account', sentence: 'Pia has no account.' } as const;
  const steps: [DisbursementStatus, string][] = [
    ['submitted', 'It can’t be approved until then.'],
    ['approved', 'It waits, and it can’t go to the bank until then.'],
    ['batched', 'Its batch can’t be sent until then.'],
    ['returned', 'It can’t be paid again until then.'],
  ];
  for (const [status, words] of steps) {
    assert.equal(refusalIn(actionsOf({ status, not_payable, return: BACK })), `Pia has no account. ${words}`);
    const alarm = { raised_at: at, raised_by_name: 'Pat', is_own: false, chain_id: null };
    assert.equal(refusalIn(actionsOf({ status, not_payable, alarm, return: BACK })), null);
  }
});

test('[CONTRACT-4, BANK-9] an approval asks for a reason, a tick, or a click', () => {
  const account = { version: '88', last_four: '4321', changed_at: at, previous_last_four: '1234' };
  const fields = (over: number, changed_since_approval?: boolean) => {
    const payee_account = changed_since_approval === undefined ? null : { ...account, changed_since_approval };
    const page = actionsOf({ payee_account }, { over });
    const form = page.split('<form').find((one) => one.includes('/approve"')) ?? '';
    return [...(form.split('</form>')[0]?.matchAll(/ name="(\w+)"(?: value="(\w+)")?/g) ?? [])]
      .map(([, name, value]) => (value === undefined ? name : `${name}=${value}`))
      .filter((field) => field !== '_csrf=token');
  };
  assert.deepEqual(fields(0), ['version=v', 'over_by_cents=0']);
  assert.deepEqual(fields(0, false), ['version=v', 'over_by_cents=0']);
  assert.deepEqual(fields(700), ['version=v', 'over_by_cents=700', 'reason']);
  assert.deepEqual(fields(0, true), ['version=v', 'over_by_cents=0', 'account_seen=88']);
  assert.deepEqual(fields(700, true), ['version=v', 'over_by_cents=700', 'reason', 'account_seen=88']);
});

test('[RETRY-1] a returned payment leads to its conversation, or to a new one with its payee', () => {
  const link = (more: Partial<Disbursement>, ...permissions: Permission[]) => {
    const page = actionsOf({ status: 'returned', return: BACK, ...more }, { permissions });
    const [, href, words] = /href="(\/messages\/[^"]+)">([^<]+)</.exec(page) ?? [];
    return href === undefined ? null : [decodeURIComponent(href.replaceAll('+', ' ')), words];
  };
  const first = '/messages/new?case_id=4&subject=Request 31: Travel, $123.45';
  assert.deepEqual(link({}, 'edit_drs', 'view_messages'), [first, 'Write to Mae Maker']);
  assert.deepEqual(link({ chain_id: 9 }, 'edit_drs', 'view_messages'), ['/messages/9', 'Write to Mae Maker']);
  const own = { submitted_by: person(ME, 'Ruth Adeyemi') };
  assert.deepEqual(link(own, 'edit_drs', 'view_messages'), [first, 'Write to Pia Payee']);
  assert.deepEqual(link({}, 'view_messages'), [first, 'write to the escrow specialist']);
  assert.equal(link({}, 'edit_drs'), null);
});

test('[REQUEST-12] receipts are added until the decision, and removed from a draft', () => {
  const file = { id: 8, filename: 'fare.png', url: '/fare', content_type: 'image/png', size: 5, created_at: at } as const;
  const files = [{ ...file, uploaded_by: person(5, 'Mae Maker') }] as never;
  const shown = (status: DisbursementStatus, mayAdd: boolean) => {
    const page = tightMarkup(disbursementReceipts(frameOf(), { disbursement: { ...REQUEST, status }, files, mayAdd }));
    return [page.includes('data-upload="/disbursements/31/files"'), page.includes('/disbursements/31/files/8/remove')];
  };
  const statuses = ['draft', 'submitted', 'approved', 'denied', 'cancelled', 'batched', 'paid', 'returned', 'ended'] as const;
  const expected: Partial<Record<DisbursementStatus, boolean[]>> = { draft: [true, true], submitted: [true, false] };
  for (const status of statuses) {
    assert.deepEqual(shown(status, true), expected[status] ?? [false, false], status);
    assert.deepEqual(shown(status, false), [false, false], status);
  }
});

test('[BANK-10, GUARD-9] a stop leads to its request and its conversation, and is cleared by those who edit requests', () => {
  const stop: PaymentStop = {
    id: 3,
    disbursement_id: 30,
    case_id: 4,
    case_name: 'Case 4',
    payee_name: 'Pia Payee',
    raised_by_name: 'Pat Parent',
    raised_at: at,
    reason: 'I did not ask for this.',
    chain_id: 9,
  };
  const shown = (more: Partial<PaymentStop>, ...permissions: Permission[]) => {
    const page = tightMarkup(stoppedPayments(frameOf(...permissions), { id: 31, stop: { ...stop, ...more } }, undefined));
    assert.match(page, /All payments to Pia Payee are stopped[\s\S]*Pat Parent wrote[\s\S]*I did not ask for this\./);
    return [...page.matchAll(/(?:href|action)="([^"]+)"|name="stop_id" value="(\d+)"/g)].map(([, href, id]) => href ?? id);
  };
  assert.deepEqual(shown({}, 'edit_drs', 'view_messages'), [
    '/disbursements/30',
    '/messages/9',
    '/disbursements/31/clear-payments',
    '3',
  ]);
  assert.deepEqual(shown({}, 'edit_drs'), ['/disbursements/30', '/disbursements/31/clear-payments', '3']);
  assert.deepEqual(shown({ disbursement_id: 31, chain_id: null }, 'view_messages'), []);
  assert.equal(String(stoppedPayments(frameOf('edit_drs'), { id: 31, stop: null }, undefined)), '');
});

test('[REQUEST-20, PAGE-6] the form offers everyone on the case but staff, and its draft is one person’s', () => {
  const people = [person(6, 'Pia Payee'), { user_id: 7, name: 'Ann Admin', user_type: 'admin' as const }];
  const page = (userId: number, caseId: number, disbursementId?: number) =>
    tightMarkup(
      disbursementFormPage(staffFrame({ userId, permissions: [], now: at }), {
        outline: { id: caseId, name: 'Case' } as never,
        people,
        benefits: [],
        categories: ['Travel', 'Other'],
        ...(disbursementId === undefined ? {} : { disbursementId }),
      }),
    );
  const payees = [...page(ME, 4).matchAll(/<option value="([^"]+)"/g)].map(([, value]) => value);
  assert.deepEqual(payees, ['Travel', 'Other', 'surrogate:6']);
  const drafts = [page(ME, 4), page(3, 4), page(ME, 5), page(ME, 4, 31), page(ME, 4, 32)].map(
    (one) => /data-request="([^"]+)"/.exec(one)?.[1],
  );
  assert.deepEqual(drafts, ['2-new-4', '3-new-4', '2-new-5', '2-31', '2-32']);
});

test('[BANK-9] a card approves the payments that need nothing else, for the account and in the versions that it shows', () => {
  const payee_account = {
    version: '88',
    last_four: '7766',
    changed_at: at,
    changed_since_approval: true,
    previous_last_four: '1111',
  };
  const request = (id: number, case_id: number, more: object = {}) => ({
    ...REQUEST,
    id,
    case_id,
    version: `${id}`.repeat(32),
    case_name: `Case ${case_id}`,
    payee_account,
    benefit: null,
    ...more,
  });
  const cards = (...requests: object[]) => {
    const page = tightMarkup(accountChangeCards(frameOf('view_messages'), requests as never)).replaceAll('&#61;', '=');
    return page
      .split('<section')
      .slice(1)
      .map((card) => ({
        id: /aria-labelledby="([^"]+)"/.exec(card)?.[1],
        action: /action="(\/cases[^"]+)"/.exec(card)?.[1],
        seen: /name="seen" value="([^"]+)"/.exec(card)?.[1]?.split(' '),
        own: [...card.matchAll(/href="\/disbursements\/(\d+)">[\s\S]*?<\/a>/g)]
          .filter(([line]) => line.includes('decision of its own'))
          .map(([, id]) => id),
        asks: card.includes('/question"'),
        alarm: /(You|Pat) stopped all payments/.exec(card)?.[1],
      }));
  };
  const over = { benefit: { over_by_cents: 5 } };
  const [first, second] = cards(
    request(31, 4),
    request(32, 4, over),
    request(33, 4, { covered: false }),
    request(34, 4),
    request(35, 5),
  );
  const seen = (id: number) => `${id}:${`${id}`.repeat(32)}:88`;
  const approve = (caseId: number) => `/cases/${caseId}/account-changes/approve`;
  assert.deepEqual(first, {
    id: 'changed-4-6',
    action: approve(4),
    seen: [seen(31), seen(34)],
    own: ['32', '33'],
    asks: true,
    alarm: undefined,
  });
  assert.deepEqual(second, { id: 'changed-5-6', action: approve(5), seen: [seen(35)], own: [], asks: true, alarm: undefined });
  assert.deepEqual(cards(request(32, 4, over))[0]?.action, undefined);
  for (const [is_own, name] of [
    [true, 'You'],
    [false, 'Pat'],
  ] as const) {
    const [stopped] = cards(request(31, 4, { alarm: { raised_at: at, raised_by_name: 'Pat', is_own, chain_id: null } }));
    assert.deepEqual([stopped?.action, stopped?.asks, stopped?.alarm], [undefined, false, name]);
  }
  assert.deepEqual(cards(request(31, 4, { payee_account: { ...payee_account, changed_since_approval: false } })), []);
});
