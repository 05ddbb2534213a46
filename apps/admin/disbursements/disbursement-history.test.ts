import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuditRecord } from '@case-platform/modules/audit';
import { COMMANDS } from '@case-platform/modules/disbursements';
import { tightMarkup } from '../../../test/admin/tight-markup.ts';
import { staffFrame } from '../../../test/support/staff-frame.ts';
import { actionWords } from '../audit/index.ts';
import { disbursementHistory, disbursementMovements, whatWasResent } from './disbursement-history.ts';

let ids = 0;
const entry = (verb: string, after: Record<string, unknown> = {}, before: Record<string, unknown> = {}): AuditRecord => {
  ids += 1;
  return {
    id: ids,
    action: `disbursement.${verb}`,
    subject_type: 'disbursement',
    subject_id: 1,
    subject_label: 'Travel, $5.00',
    actor_name: 'Sam',
    layer: 'api',
    happened_at: new Date(Date.UTC(2026, 10, 23, 12, ids)),
    after,
    before,
  } as unknown as AuditRecord;
};
const frame = staffFrame({ permissions: [], now: '2026-11-23T18:00:00Z' });
const listLines = (history: AuditRecord[], shown = frame) =>
  [...tightMarkup(disbursementHistory(shown, history)).matchAll(/<li class="timeline-item ([^"]*)">(.*?)<\/li>/gs)].map(
    ([, look, item]) => {
      const [what = '', note = ''] = [/timeline-what">(.*?)<\/span>/s, /<p class="quiet">([^<]+)/].map(
        (pattern) => pattern.exec(item ?? '')?.[1],
      );
      return [what.replaceAll(/<[^>]+>/g, ''), note, look?.trim()].join(' | ');
    },
  );

test('[PAYMENT-3] every step of a request has its own words in the history, and two of them stand out', () => {
  const verbs = [...Object.keys(COMMANDS), 'create', 'add_file', 'remove_file', 'hand_on', 'link_chain'];
  const lines = verbs.map((verb) => listLines([entry(verb)])[0] ?? '');
  assert.equal(new Set(lines).size, verbs.length);
  for (const [at, verb] of verbs.entries()) {
    assert.ok(!lines[at]?.startsWith(actionWords(`disbursement.${verb}`)), `${verb} has no words`);
    assert.equal(lines[at]?.endsWith('is-refused'), verb === 'deny' || verb === 'return', verb);
  }
});

test('[REQUEST-16] the history says why, which file, and how a resubmitted request differs from the last time', () => {
  const history = [
    entry('create', { amount_cents: 500, payee_id: 1, category: 'Travel', description: 'Train' }),
    entry('submit'),
    entry('add_file', { filename: 'ticket.pdf' }),
    entry('remove_file', {}, { filename: 'old.pdf' }),
    entry('revise', { amount_cents: 600 }),
    entry('submit'),
    entry('revise', { amount_cents: 700 }),
    entry('submit'),
    entry('deny', { reason: 'Too much' }),
  ].toReversed();
  assert.deepEqual(listLines(history), [
    'Denied, by Sam | Too much | is-now is-refused',
    'Sent for approval, by Sam | The amount was changed from $6.00 to $7.00. | ',
    'Changed after it was sent, by Sam |  | ',
    'Sent for approval, by Sam | The amount was changed from $5.00 to $6.00. | ',
    'Changed after it was sent, by Sam |  | ',
    'Receipt removed, by Sam | old.pdf | ',
    'Receipt added, by Sam | ticket.pdf | ',
    'Sent for approval, by Sam |  | ',
    'Written, by Sam |  | ',
  ]);
  const reason = 'bank_account_changed';
  assert.deepEqual(listLines([entry('submit', { reason }), entry('remove_approval')]), [
    'Sent again for the new bank account, by Sam |  | is-now',
    'Approval removed: bank account changed, by Sam |  | ',
  ]);
  assert.equal(whatWasResent(history), 'The amount was changed from $6.00 to $7.00.');
  assert.equal(whatWasResent(history.slice(-2)), null);
  assert.equal(tightMarkup(disbursementHistory(frame, [])), '');
  const links = (permissions: ['view_audit_log'] | []) =>
    tightMarkup(disbursementHistory(staffFrame({ permissions, now: '2026-11-23T18:00:00Z' }), history)).match(/href="\/audit\//g)
      ?.length ?? 0;
  assert.deepEqual([links(['view_audit_log']), links([])], [9, 0]);
});

test('[LEDGER-1] each movement of the ledger names what it took from where', () => {
  const at = new Date('2026-11-23T12:00:00Z');
  const movements = (
    [
      ['hold', 'funds', 'held'],
      ['release', 'held', 'funds'],
      ['payment', 'held', 'cash'],
      ['return', 'cash', 'funds'],
      ['deposit', 'cash', 'funds'],
      ['refund', 'funds', 'cash'],
    ] as const
  ).map(([kind, debit, credit], id) => ({ id, kind, debit, credit, amount_cents: 1, created_at: at }));
  const cells = [
    ...tightMarkup(disbursementMovements(frame, movements)).matchAll(/data-label="(?:Movement|Debit|Credit)"[^>]*>([^<]+)/g),
  ];
  assert.deepEqual(
    cells.map(([, words]) => words?.trim()),
    [
      'Set aside',
      'Available',
      'Set aside',
      'Released',
      'Set aside',
      'Available',
      'Paid out',
      'Set aside',
      'Our bank account',
      'Returned',
      'Our bank account',
      'Available',
      'Deposit',
      'Our bank account',
      'Available',
      'Paid back',
      'Available',
      'Our bank account',
    ],
  );
  assert.equal(tightMarkup(disbursementMovements(frame, [])), '');
});
