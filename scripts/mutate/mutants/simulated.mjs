import { schema, text, together } from './write.mjs';

const M = 'modules/disbursements';
const APPROVE = `${M}/approve-disbursement.ts`;
const SETTLE = `${M}/settle-disbursements.ts`;
const SIMULATOR = 'test/money/simulator.test.ts';

/**
 * One of each kind that the simulator of money has to find without any other test, in the short histories of `npm test`. Where the
 * database stands behind the code as a second layer, both are taken away: with one of them nothing wrong can happen.
 */
export const SIMULATED = [
  text(
    'simulated: more than the contract allows, and nobody says why',
    APPROVE,
    "if (seen.decision_reason === null) throw invalid('reason', `${over} Say why you approve it.`);",
    'void invalid;',
    SIMULATOR,
  ),
  together(
    'simulated: approved without funds',
    text('', APPROVE, 'await requireFunds(tx, locked.case_id, locked.amount_cents);', '', SIMULATOR),
    schema('', 'drop trigger ledger_balance_is_covered on ledger_balance', SIMULATOR),
  ),
  text(
    'simulated: the calendar forgets a payment',
    SETTLE,
    'if (scheduled_payment_id !== null) await markScheduledPaymentPaid(tx, scheduled_payment_id, now);',
    'void markScheduledPaymentPaid;',
    SIMULATOR,
  ),
  together(
    'simulated: one person asks and decides',
    text('', APPROVE, 'await requireChecker(tx, locked, actor);', 'void requireChecker;', SIMULATOR),
    schema('', 'drop trigger disbursement_request_takes_two on disbursement_request', SIMULATOR),
  ),
  text(
    'simulated: what came back stays paid',
    'modules/banking/returns/apply-returns.ts',
    'await returnDisbursement(tx, own.disbursement_id, code, by, now);',
    'void returnDisbursement;',
    SIMULATOR,
  ),
  text(
    'simulated: what came back counts among what was paid to somebody',
    'modules/banking/statements/own-payments.ts',
    "data.filter(({ state }) => state === 'paid')",
    'data',
    SIMULATOR,
  ),
  text(
    'simulated: approved as nobody has seen it',
    APPROVE,
    'await requireSeenVersion(tx, locked, version);',
    'void [requireSeenVersion, version];',
    SIMULATOR,
  ),
  text(
    'simulated: what was never paid is given back as if it was',
    SETTLE,
    "request.status === 'paid' ? 'return' : 'release'",
    "'return'",
    SIMULATOR,
  ),
  text(
    'simulated: what came back is settled with its batch',
    'modules/banking/batches/release-entries.ts',
    'and released_at is null and returned_at is null',
    'and released_at is null',
    SIMULATOR,
  ),
];
