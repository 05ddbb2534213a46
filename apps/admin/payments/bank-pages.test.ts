import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Permission } from '@case-platform/modules/accounts';
import type { BankAccount, IssuedProof } from '@case-platform/modules/banking';
import { tightMarkup } from '../../../test/admin/tight-markup.ts';
import { staffFrame } from '../../../test/support/staff-frame.ts';
import { bankAccountPage } from './bank-account-page.ts';
import { bankProfilePage } from './bank-profile-page.ts';
import { proofListPage } from './proof-list.ts';
import { returnFilePage } from './return-file-page.ts';

/** Renders pages about accounts, proofs, and return files without a server. */

const NOW = '2026-11-23T12:00:00Z';
const frameOf = (zone = 'UTC', ...permissions: Permission[]) => staffFrame({ permissions, now: NOW, zone });
const NOTICES = { done: undefined, refused: undefined };
const ACCOUNT: BankAccount = {
  id: 1,
  user_id: 5,
  holder_name: 'Sam Doe',
  routing_number: '021000021',
  last_four: '6789',
  account_kind: 'checking',
  created_at: new Date('2026-01-02T00:00:00Z'),
  usable_from: new Date('2026-01-04T00:00:00Z'),
  flag_code: null,
  flagged_at: null,
};
type AccountView = Parameters<typeof bankAccountPage>[1];
const accountPageOf = (view: Partial<AccountView>, ...permissions: Permission[]) =>
  tightMarkup(
    bankAccountPage(frameOf('UTC', ...permissions), {
      owner: { id: 5, first_name: 'Sam', last_name: 'Doe', user_type: 'surrogate' } as AccountView['owner'],
      account: ACCOUNT,
      correction: null,
      ...NOTICES,
      ...view,
    }),
  );

test('[BANK-5, GUARD-9] an account is shown to those who may see accounts, and its form to those who may change them', () => {
  const parts = (...permissions: Permission[]) => {
    const page = accountPageOf({}, ...permissions);
    return ['6789', 'Change account'].map((part) => page.includes(part));
  };
  assert.deepEqual(parts('view_bank_accounts', 'edit_bank_accounts'), [true, true]);
  assert.deepEqual(parts('view_bank_accounts'), [true, false]);
  assert.deepEqual(parts('edit_bank_accounts'), [false, true]);
  assert.match(accountPageOf({ account: null }, 'edit_bank_accounts'), /Add an account/);
});

test('[RETURN-5] each part of the bank’s correction is shown, and can be used where it changes something', () => {
  const correction = {
    is_usable: true,
    holder_name: 'Samuel Doe',
    routing_number: '091000019',
    last_four: '4321',
    account_kind: 'savings',
    identification: 'ID 7',
    other: 'More words',
  } as const;
  const flagged = { ...ACCOUNT, flag_code: 'C01' };
  const both: Permission[] = ['view_bank_accounts', 'edit_bank_accounts'];
  const page = accountPageOf({ account: flagged, correction }, ...both);
  const words =
    'Account holder: Samuel Doe. Routing number: 091000019. Account number ending in: 4321. Kind of account: savings. Reference: ID 7. From the bank: More words.';
  assert.ok(page.includes(words), page);
  const offers = (view: Partial<AccountView>, ...permissions: Permission[]) =>
    accountPageOf(view, ...permissions).includes('action="/bank-accounts/5/correction"');
  assert.equal(offers({ account: flagged, correction }, ...both), true);
  assert.equal(offers({ account: flagged, correction }, 'view_bank_accounts'), false);
  assert.equal(offers({ account: flagged, correction: { ...correction, is_usable: false } }, ...both), false);
  assert.equal(offers({ account: flagged }, ...both), false);
  assert.equal(offers({ correction }, ...both), false, 'an account that the bank did not complain about');
});

test('[BANK-1, API-9] an account is not in use until its time has come', () => {
  const waits = (usable_from: string) =>
    accountPageOf({ account: { ...ACCOUNT, usable_from: new Date(usable_from) } }, 'view_bank_accounts').includes(
      'Not in use yet',
    );
  assert.deepEqual([waits('2026-11-23T12:00:00.001Z'), waits(NOW), waits('2026-01-04T00:00:00Z')], [true, false, false]);
});

test('[PAGE-2] the form of our bank comes back with each tick as it was sent, and otherwise as it is stored', () => {
  const profile = { bank_name: 'B', updated_at: new Date(NOW), same_day: true, with_notes: false, balanced: true } as never;
  const ticks = (values?: Record<string, string>) => {
    const refused = values && { action: '/batches/bank', values, words: 'No.', errors: {}, status: 422, code: 'invalid_input' };
    const page = tightMarkup(bankProfilePage(frameOf(), { profile, done: undefined, refused }));
    return [...page.matchAll(/type="checkbox" name="(\w+)" value="yes"\s*(checked)?/g)].map(([, name, mark]) => [
      name,
      mark !== undefined,
    ]);
  };
  const stored = { same_day: true, with_notes: false, balanced: true };
  assert.deepEqual(Object.fromEntries(ticks()), stored);
  assert.deepEqual(Object.fromEntries(ticks({})), stored, 'it was changed by someone else meanwhile');
  for (const name of Object.keys(stored))
    assert.deepEqual(Object.fromEntries(ticks({ bank_name: 'B', [name]: 'yes' })), {
      same_day: false,
      with_notes: false,
      balanced: false,
      [name]: true,
    });
});

test('[PROOF-4] a proof says in the reader’s days until when it holds, that it no longer does, or when it was withdrawn', () => {
  const proof = {
    id: 3,
    case_id: 4,
    code: 'CODE',
    addressee: 'A clinic',
    amount_cents: 5,
    issued_by: { name: 'Pat' },
    made_at: new Date('2026-11-20T00:00:00Z'),
    expires_at: new Date('2027-02-18T03:00:00Z'),
    withdrawn_at: null,
    holds: true,
    may_withdraw: false,
  } as IssuedProof;
  const shown = (more: Partial<IssuedProof>, zone = 'UTC') => {
    const view = { outline: { id: 4, name: 'Case' } as never, proofs: [{ ...proof, ...more }], ...NOTICES };
    const page = tightMarkup(proofListPage(frameOf(zone), view));
    assert.equal(page.includes('/cases/4/proofs/3/withdraw'), more.may_withdraw === true);
    return /class="state-pill ([\w-]+)">([^<]+)/.exec(page)?.slice(1).join(' ');
  };
  assert.equal(shown({}), 'is-done Holds until Feb 18, 2027');
  assert.equal(shown({ may_withdraw: true }, 'America/New_York'), 'is-done Holds until Feb 17, 2027');
  assert.equal(shown({ holds: false }), 'is-waiting No longer holds');
  const withdrawn_at = new Date('2026-11-22T03:00:00Z');
  assert.equal(shown({ holds: false, withdrawn_at }), 'is-refused Withdrawn Nov 22, 2026');
  assert.equal(shown({ holds: false, withdrawn_at }, 'America/New_York'), 'is-refused Withdrawn Nov 21, 2026');
});

type FileView = Parameters<typeof returnFilePage>[1];
type Line = FileView['file']['returns'][number];
const LINE = {
  line: 3,
  code: 'R01',
  reason: 'No money',
  name: 'SAM DOE',
  amount_cents: 500,
  outcome: 'returned',
  disbursement_id: 31,
  payment: { description: 'Flight', category: 'travel', payee_name: 'Sam Doe' },
} as unknown as Line;
const filePageOf = (file: Partial<FileView['file']>) =>
  tightMarkup(
    returnFilePage(frameOf(), {
      file: {
        id: 9,
        filename: 'returns.ach',
        status: 'waiting',
        version: 'v',
        is_own: false,
        has_second: true,
        uploaded_by_name: 'Felix',
        uploaded_at: new Date(NOW),
        decided_by_name: null,
        decided_at: null,
        decision_reason: '',
        sha256: 'f'.repeat(64),
        returns: [LINE],
        ...file,
      } as FileView['file'],
      ...NOTICES,
    }),
  );

test('[RETURN-2] each line of a return file says what it does, and what it has done once it is confirmed', () => {
  const outcomes = ['returned', 'corrected', 'already_returned', 'noted', 'not_ours'] as const;
  const words = (status: 'waiting' | 'applied') =>
    outcomes.map((outcome) => {
      const page = filePageOf({ status, returns: [{ ...LINE, outcome } as Line] });
      return /data-label="(?:Done|What happens)"><span class="state-pill ?[\w-]*">([^<]+)/.exec(page)?.[1];
    });
  assert.deepEqual(words('waiting'), [
    'Returns the money',
    'Flags the account',
    'Already recorded',
    'Changes nothing',
    'Not ours',
  ]);
  assert.deepEqual(words('applied'), ['Sent back', 'Needs a correction', 'Already recorded', 'Changed nothing', 'Not ours']);
});

test('[RETURN-2, SHOWN-2] someone else who sees all of a file confirms it, and lines of other cases show nothing', () => {
  const hidden = { ...LINE, payment: null } as Line;
  const unknown = { ...LINE, disbursement_id: null, payment: null, outcome: 'not_ours' } as Line;
  const shown = (file: Partial<FileView['file']>) => {
    const page = filePageOf(file);
    return ['confirm', 'refuse'].filter((verb) => page.includes(`action="/batches/returns/9/${verb}"`)).join(' ');
  };
  assert.equal(shown({}), 'confirm refuse');
  assert.equal(shown({ is_own: true }), 'refuse');
  assert.equal(shown({ returns: [LINE, hidden] }), '');
  assert.equal(shown({ returns: [LINE, unknown] }), 'confirm refuse');
  assert.equal(shown({ version: null, status: 'applied' }), '');
  const parts = (line: Line) =>
    ['SAM DOE', '$5.00', 'Sam Doe', 'Flight'].filter((part) => filePageOf({ is_own: true, returns: [line] }).includes(part));
  assert.deepEqual(parts(LINE), ['SAM DOE', '$5.00', 'Sam Doe', 'Flight']);
  assert.deepEqual(parts(hidden), []);
  assert.deepEqual(parts(unknown), ['SAM DOE', '$5.00']);
});

test('[RETURN-2] the decision about a file adds up what it does', () => {
  const words = (...outcomes: [string, number][]) => {
    const returns = outcomes.map(([outcome, amount_cents]) => ({ ...LINE, outcome, amount_cents }) as Line);
    return /Compare it with the bank’s file\. ([^<]*?) *You can’t undo this/
      .exec(filePageOf({ returns }).replaceAll(/\s+/g, ' '))?.[1]
      ?.trim();
  };
  assert.equal(words(['returned', 500], ['returned', 700], ['already_returned', 9]), '2 payments come back, $12.00 in all.');
  assert.equal(words(['corrected', 500]), '1 account needs a correction.');
  assert.equal(
    words(['returned', 500], ['corrected', 1], ['corrected', 2]),
    '1 payment comes back, $5.00 in all. 2 accounts need a correction.',
  );
  assert.equal(
    words(['noted', 500]),
    'It doesn’t change any payments or accounts. Ask the bank about 1 line that changes nothing.',
  );
  assert.equal(words(['not_ours', 500]), 'It doesn’t change any payments or accounts.');
});
