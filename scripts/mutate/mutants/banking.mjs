import { schema, text, together } from './write.mjs';

const M = 'modules/banking';
const BATCHES = 'test/admin/batches/batches.test.ts';
const SAFETY = 'test/admin/batches/batch-safety.test.ts';
const LAYERS = 'test/admin/batches/batch-layers.test.ts';
const RETURNS = 'test/admin/payments/bank-returns.test.ts';
const AMOUNTS = 'test/admin/payments/bank-return-amounts.test.ts';
const STOPPED = 'test/admin/payments/returns-stop-batches.test.ts';
const ACCOUNT = 'test/api/accounts/bank-account.test.ts';
const SECRETS = 'test/api/accounts/secrets-bound.test.ts';
const MAILS = 'test/worker/money-mails.test.ts';
const CHECK = `${M}/bank-accounts/check-bank-account.test.ts`;
const FLAGS = `${M}/bank-accounts/bank-account.test.ts`;
const ONE_PERSON = 'test/admin/disbursements/one-person.test.ts';

const makerApproves = text(
  'the code lets a batch’s maker approve it',
  `${M}/batches/decide-batch.ts`,
  "await refuseMaker(tx, batch, by, 'approve it');",
  'void refuseMaker;',
  LAYERS,
);
const tableLetsMakerApprove = schema(
  'the table lets a batch’s maker approve it',
  'alter table banking_batch drop constraint maker_never_approves; drop trigger banking_batch_takes_two on banking_batch',
  LAYERS,
);
const makerSends = text(
  'the code lets a batch’s maker hand it out',
  `${M}/batches/hand-out-file.ts`,
  "await refuseMaker(tx, batch, by, 'send it');",
  '',
  LAYERS,
);
const tableLetsMakerSend = schema(
  'the table lets a batch’s maker hand it out',
  'alter table banking_batch drop constraint maker_never_pays; drop trigger banking_batch_takes_two on banking_batch',
  LAYERS,
);
const signsTwice = text(
  'the code lets one person sign twice',
  `${M}/batches/sign-file.ts`,
  'if (signers.some(({ user_id }) => user_id === by.actor?.id))',
  'if (signers.length > 9)',
  LAYERS,
  BATCHES,
);
const tableLetsSignTwice = schema(
  'the table lets one person sign twice',
  'alter table batch_signature drop constraint batch_signature_pkey',
  LAYERS,
);
const twoBatches = schema('a request is in two live batches', 'drop index banking_batch_entry_live_idx', LAYERS);

const PAYS_NO_MORE = ['R02', 'R03', 'R04', 'R12', 'R13', 'R14', 'R15', 'R16', 'R20', 'R34', 'R36'];

/** Bank accounts, batches, files and what comes back. */
// biome-ignore format: a mutant a line
export const BANKING = [
  makerApproves,
  tableLetsMakerApprove,
  together('nothing keeps a batch’s maker from approving it', makerApproves, tableLetsMakerApprove),
  makerSends,
  tableLetsMakerSend,
  together('nothing keeps a batch’s maker from handing it out', makerSends, tableLetsMakerSend),
  signsTwice,
  tableLetsSignTwice,
  together('nothing keeps one person from signing twice', signsTwice, tableLetsSignTwice),
  twoBatches,
  text('a batch’s maker settles it', `${M}/batches/settle-batch.ts`, "await refuseMaker(tx, batch, by, 'mark it as paid');", 'void refuseMaker;', LAYERS),
  text('a batch’s maker says what became of it', `${M}/batches/hand-out-file.ts`, "await refuseMaker(tx, batch, by, 'confirm it');", '', LAYERS),
  text('one signature is enough', `${M}/batches/sign-file.ts`, 'SIGNATURES_NEEDED = 2', 'SIGNATURES_NEEDED = 1', BATCHES, LAYERS),
  text('a file is handed out without a signature', `${M}/batches/hand-out-file.ts`, 'if (signers.length < SIGNATURES_NEEDED)', 'if (signers.length < 0)', BATCHES, LAYERS),
  text('another file than was seen is signed', `${M}/batches/sign-file.ts`, 'if (batch.file_sha256 !== sha256.toLowerCase())', "if (sha256 === '')", BATCHES),
  text('a file is handed out to an account that was changed, or is none', `${M}/batches/hand-out-file.ts`, 'await refuseUnpayableAccounts(tx, batch, now);', '', SAFETY, STOPPED),
  text('a batch still pays an account that was changed', `${M}/bank-accounts/refuse-unpayable-accounts.ts`, 'if (is_replaced)', "if (holder_name === '')", SAFETY),
  text('a batch still pays an account that the bank calls none', `${M}/bank-accounts/refuse-unpayable-accounts.ts`, 'if (why === null) continue;', "if (why !== '') continue;", STOPPED),
  text('a batch is approved that pays an account which is none', `${M}/batches/decide-batch.ts`, 'await refuseUnpayableAccounts(tx, batch, now);', 'void [refuseUnpayableAccounts, now];', STOPPED),
  text('a file is made for an account that is none', `${M}/batches/generate-file.ts`, 'await refuseUnpayableAccounts(tx, batch, now);', 'void refuseUnpayableAccounts;', STOPPED),
  text('what is paid to an account that is none stays in its batch', `${M}/returns/apply-returns.ts`, 'if (needsOtherAccount(code))', "if (code === '')", STOPPED),
  text('every return takes an account’s payments out of batches', `${M}/returns/apply-returns.ts`, 'if (needsOtherAccount(code))', "if (code !== '')", STOPPED),
  text('a file whose day has come is handed out', `${M}/batches/effective-date.ts`, 'bankDayOf(now) < effective_date', 'bankDayOf(now) <= effective_date', SAFETY),
  text('a file is read by whoever may pay', `${M}/batches/hand-out-file.ts`, 'if (batch.handed_out_by !== by.actor?.id)', 'if (batch.handed_out_by === null)', BATCHES, LAYERS),
  text('a download leaves no trace', `${M}/batches/hand-out-file.ts`, 'await recordAudit(tx, {', 'if (text === undefined) await recordAudit(tx, {', BATCHES, LAYERS),
  text('a file that was changed is handed out', `${M}/batches/batch-file.ts`, 'if (row.file_sha256 === null || !sha256.equals(row.file_sha256))', 'if (sha256.length === 0)', SECRETS),
  text('a batch is made for an account that cools off', `${M}/bank-accounts/bank-account.ts`, 'if (account.usable_from > now)', 'if (account.usable_from < new Date(0))', BATCHES, ACCOUNT, SAFETY),
  ...PAYS_NO_MORE.map((code) => text(`payments go on after ${code}`, 'words/bank-reasons.ts', `${code}: ['account'`, `${code}: ['bank'`, FLAGS)),
  text('a million dollars does not go on the same day', `${M}/batches/gather-batch.ts`, 'amount_cents > SAME_DAY_MAX_CENTS', 'amount_cents >= SAME_DAY_MAX_CENTS', SAFETY),
  text('a cent over a million goes on the same day', `${M}/batches/gather-batch.ts`, 'amount_cents > SAME_DAY_MAX_CENTS', 'amount_cents > SAME_DAY_MAX_CENTS + 1', SAFETY),
  text('501 requests in a batch', `${M}/batches/gather-batch.ts`, 'GATHER_MAX = 500', 'GATHER_MAX = 501', LAYERS),
  text('499 requests in a batch at most', `${M}/batches/gather-batch.ts`, 'GATHER_MAX = 500', 'GATHER_MAX = 499', LAYERS),
  text('a batch loses its last request', `${M}/batches/decide-batch.ts`, 'if (ids.length === 1)', 'if (ids.length === 0)', BATCHES, LAYERS),
  text('a cancelled batch’s changed payees stay approved', `${M}/batches/decide-batch.ts`, 'await sendBackChangedPayees(tx, batchId, by, now);', '', SAFETY),
  text('a batch’s maker is asked to approve it', `${M}/batches/list-waiting-batches.ts`, 'isSecondTo(sql`array[b.created_by]`)', "isSecondTo(sql`'{}'::bigint[]`)", LAYERS),
  text('who has signed is asked to sign again', `${M}/batches/list-waiting-batches.ts`, 'isSecondTo(sql`array(select s.user_id from batch_signature s where s.batch_id = b.id)`)', "isSecondTo(sql`'{}'::bigint[]`)", LAYERS),
  text('who has a part in a batch is asked to take it further', `${M}/batches/list-waiting-batches.ts`, '(${others} || batch_insiders(b.id))', '${others}', LAYERS),
  text('a file that is signed twice waits for more', `${M}/batches/list-waiting-batches.ts`, '< ${SIGNATURES_NEEDED}', '< 9', LAYERS),
  text('who is paid by a batch approves it', `${M}/batches/decide-batch.ts`, "await refuseInsider(tx, batch, by, 'approve it');", 'void refuseInsider;', ONE_PERSON),
  text('who is paid by a batch hands it out', `${M}/batches/hand-out-file.ts`, "await refuseInsider(tx, batch, by, 'send it');", 'void refuseInsider;', ONE_PERSON),
  text('who is paid by a batch signs it', `${M}/batches/sign-file.ts`, "await refuseInsider(tx, batch, by, 'sign it');", 'void refuseInsider;', ONE_PERSON),
  text('two records of one person sign', `${M}/batches/sign-file.ts`, "await requireSecondPerson(tx, by.actor, others, 'You already signed this file. Someone else has to sign it, too.');", 'void [requireSecondPerson, others];', ONE_PERSON),
  schema('the table lets two records of one person sign', 'drop trigger batch_signature_takes_two on batch_signature', ONE_PERSON),
  text('another list than was seen is approved', `${M}/batches/decide-batch.ts`, 'await requireSeenList(tx, batch, listSha256);', 'void requireSeenList;', ONE_PERSON),
  text('another list than was seen is settled', `${M}/batches/settle-batch.ts`, 'await requireSeenList(tx, batch, sha256);', 'void requireSeenList;', ONE_PERSON),
  text('a return of another amount is ours', `${M}/returns/plan-returns.ts`, "${entry.kind === 'return' ? entry.amount_cents : null}::bigint is null\n                or e.amount_cents = ${entry.kind === 'return' ? entry.amount_cents : null}::bigint", "${entry.kind === 'return' ? entry.amount_cents : null}::bigint is null or e.amount_cents > 0", AMOUNTS),
  text('an entry that was taken out of its batch is returned', `${M}/returns/plan-returns.ts`, 'e.released_at is null\n           and b.status in', 'b.status in', AMOUNTS),
  text('the oldest entry of a trace number is returned', `${M}/returns/plan-returns.ts`, 'order by e.id desc limit 1', 'order by e.id limit 1', AMOUNTS),
  text('a payment comes back twice', `${M}/returns/plan-returns.ts`, 'own.returned_at !== null || ', '', RETURNS, AMOUNTS),
  text('a return leaves the account in use', `${M}/returns/apply-returns.ts`, 'await flagAccount(tx, seal, { bankAccountId: own.bank_account_id, code, correction, by, now });', '', RETURNS, AMOUNTS),
  text('account numbers open in anybody’s row', `${M}/bank-accounts/seal-account-number.ts`, '`user:${owner.user_id}`', "'user'", SECRETS),
  text('a file opens in another batch’s row', `${M}/batches/batch-file.ts`, '`batch:${batchId}`', "'batch'", SECRETS),
  text('account numbers and files share a key', `${M}/batches/batch-file.ts`, "KIND = 'bank file'", "KIND = 'bank account number'", SECRETS),
  text('no sealed value is bound to its row', 'lib/encryption.ts', '.setAAD(Buffer.from(context))\n    .setAuthTag', '.setAAD(Buffer.from(sealed.subarray(0, 0)))\n    .setAuthTag', SECRETS),
  text('approvals for the account before stay', `${M}/bank-accounts/set-bank-account.ts`, 'await sendBackApprovals(tx, userId, by, now);', '', SAFETY, ACCOUNT, MAILS),
  text('a batch still pays the account before', `${M}/bank-accounts/set-bank-account.ts`, "await releaseAccount(tx, before.id, { why: 'changed', by });", '', SAFETY),
  text('another account number counts as the same', `${M}/bank-accounts/set-bank-account.ts`, 'seal.open({ user_id: before.user_id }, row.account_number) === input.account_number', 'row.account_number.length > 0', ACCOUNT),
  ...["'holder_name', ", "'routing_number', ", ", 'account_kind'"].map((field) => text(`another ${field.replaceAll(/[^a-z_]/g, '')} counts as the same account`, `${M}/bank-accounts/set-bank-account.ts`, "['holder_name', 'routing_number', 'account_kind'] as const", `[${"'holder_name', 'routing_number', 'account_kind'".replace(field, '')}] as const`, ACCOUNT)),
  text('a flagged account counts as the same', `${M}/bank-accounts/set-bank-account.ts`, 'before.flag_code === null &&', '', AMOUNTS),
  text('staff have bank accounts', `${M}/bank-accounts/set-bank-account.ts`, "owner === null || owner.user_type === 'admin'", 'owner === null', LAYERS),
  schema('two accounts of one person are in use', 'drop index payee_bank_account_current_idx', ACCOUNT, LAYERS),
  text('three characters are an account number', `${M}/bank-accounts/check-bank-account.ts`, '{2,15}', '{1,15}', CHECK),
  text('18 characters are an account number', `${M}/bank-accounts/check-bank-account.ts`, '{2,15}', '{2,16}', CHECK),
  text('17 characters are no account number', `${M}/bank-accounts/check-bank-account.ts`, '{2,15}', '{2,14}', CHECK),
  text('a holder’s name of 101 characters', 'words/limits.ts', 'HOLDER_MAX = 100', 'HOLDER_MAX = 101', CHECK),
  text('a return for another reason opens an account that is none', `${M}/bank-accounts/flag-account.ts`, 'if (needsOtherAccount(known)) return needsOtherAccount(code);', 'void needsOtherAccount;', AMOUNTS),
  text('a bank’s correction is not sealed for its owner', `${M}/bank-accounts/flag-account.ts`, 'const owner = { user_id: account.user_id };', 'const owner = { user_id: 0 };', RETURNS),
];
