import { text } from './write.mjs';

const D = 'modules/disbursements';
const B = 'modules/banking';
const ROUND = 'test/admin/payments/payments-come-round.test.ts';
const LEDGER = `${D}/ledger/ledger.test.ts`;

/** Payments that come back, and are paid again (decisions, section 14). */
export const RETURNS = [
  text(
    'what was never paid is given back as if it was',
    `${D}/settle-disbursements.ts`,
    "request.status === 'paid' ? 'return' : 'release'",
    "'return'",
    LEDGER,
    ROUND,
  ),
  text(
    'what came back is paid again without money',
    `${D}/retry-disbursement.ts`,
    'await requireFunds(tx, locked.case_id, locked.amount_cents);',
    'void requireFunds;',
    LEDGER,
    ROUND,
  ),
  text(
    'what came back is paid again to the same account',
    `${D}/bank-return.ts`,
    "return needsOtherAccount(code) ? 'another_account' : 'a_reason';",
    "return needsOtherAccount('') ? 'another_account' : 'a_reason';",
    ROUND,
  ),
  text(
    'what came back is paid again without a reason',
    `${D}/retry-disbursement.ts`,
    "needs === 'nothing' && !isGiven",
    '!isGiven',
    ROUND,
  ),
  text(
    'who set the account pays it again',
    `${D}/retry-disbursement.ts`,
    'array[d.payee_id, a.created_by] || a.entered_by',
    'array[d.payee_id]',
    ROUND,
  ),
  text(
    'an approval stands whose giver has set the account',
    `${D}/retry-disbursement.ts`,
    'if (approver_set_it)',
    'if (false as boolean)',
    ROUND,
  ),
  text(
    'anybody on the staff pays again',
    `${D}/retry-disbursement.ts`,
    "!sees_case || !permissions.has('edit_drs')",
    '!sees_case',
    ROUND,
  ),
  text(
    'a retry does not look at what was seen',
    `${D}/retry-disbursement.ts`,
    'if (version !== undefined) await requireSeenVersion(tx, locked, version);',
    'void requireSeenVersion;',
    ROUND,
  ),
  text(
    'a closed case pays again',
    `${D}/retry-disbursement.ts`,
    'requireOpenCase(locked.case);',
    'void requireOpenCase;',
    ROUND,
  ),
  text(
    'a line of the calendar is paid by two requests',
    `${D}/retry-disbursement.ts`,
    'if (other !== undefined)',
    'if (other?.id === 0)',
    ROUND,
  ),
  text(
    'what came back is settled with its batch',
    `${B}/batches/release-entries.ts`,
    'and released_at is null and returned_at is null',
    'and released_at is null',
    ROUND,
  ),
  text(
    'a settled list may have lost a payment since it was seen',
    `${B}/batches/batch.ts`,
    'and e.released_at is null and e.returned_at is null',
    'and e.released_at is null',
    ROUND,
  ),
  text(
    'a file that the bank has answered may be sent again',
    `${B}/returns/apply-returns.ts`,
    'await confirmOutcomes(tx, file.planned, { by, now });',
    'void confirmOutcomes;',
    ROUND,
  ),
  text(
    'a batch is settled before its day without a word',
    `${B}/batches/settle-batch.ts`,
    'if (isBankDay(day, now)) return null;',
    'if (day !== undefined || isBankDay(day, now)) return null;',
    ROUND,
  ),
  text(
    'what came back is told to be on its way',
    `${D}/announce-disbursement.ts`,
    "return status !== 'batched' && status !== 'paid';",
    'return false;',
    'test/worker/payment-mails.test.ts',
  ),
  text(
    'nobody is told that the bank has a payment',
    `${B}/batches/hand-out-file.ts`,
    "if (outcome === 'accepted') await announceOnItsWay(tx, await listEntryIds(tx, batchId), now);",
    'void [announceOnItsWay, listEntryIds];',
    'test/worker/payment-mails.test.ts',
  ),
];
