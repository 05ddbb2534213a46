import { NotFoundError } from '@case-platform/lib/errors';
import type { User } from '@case-platform/modules/accounts';
import { type BankAccount, findBankAccount, previewBankAccount, setBankAccount } from '@case-platform/modules/banking';
import type { Disbursement } from '@case-platform/modules/disbursements';
import { ACCOUNT_HOLDER_MAX, BANK_NUMBER_FIELD_MAX } from '@case-platform/words/limits';
import { Type } from 'typebox';
import type { ApiContext, ApiServer } from '../api-context.ts';
import { changedBy } from '../guards/changed-by.ts';
import { IdentityFields, requireIdentity, splitProof } from '../guards/identity.ts';
import { Time } from '../schemas.ts';
import { DisbursementOut } from './disbursement-schemas.ts';
import { showDisbursements } from './show-disbursement.ts';

const AccountKind = Type.Unsafe<'checking' | 'savings'>({ type: 'string', enum: ['checking', 'savings'] });

const BankAccountOut = Type.Object(
  {
    holder_name: Type.String(),
    routing_number: Type.String(),
    last_four: Type.String({ description: 'The only part of the account number that is ever shown.' }),
    account_kind: AccountKind,
    usable_from: Type.Unsafe<Date>({
      ...Time,
      description:
        'The time from which the account can be paid: 48 hours after a change, and not in the first week of a new email address.',
    }),
  },
  { title: 'BankAccount' },
);

const StopsOut = Type.Object(
  {
    stops: Type.Array(DisbursementOut, { description: 'The requests that would need another approval.' }),
    total_cents: Type.Integer({ minimum: 0 }),
  },
  { title: 'StoppedRequests' },
);

/** Everyone except staff can be paid (BANK-7). */
const PAYEES = ['ip', 'surrogate', 'cm', 'owner', 'ip_rep'] as const;

/** The caller's own bank account, for payments to them (BANK-1). */
export function bankAccountRoutes({ app, context, guards }: ApiServer): void {
  const guard = guards.user({ user_types: PAYEES });
  const config = { guard };

  app.get(
    '/api/user/me/bank-account',
    {
      config,
      schema: {
        tags: ['me'],
        summary: 'Get the bank account that payments go to; 404 before one is added',
        response: { 200: BankAccountOut },
      },
    },
    async (request) => {
      const account = await findBankAccount(context.db, guard.actor(request).id);
      if (account === null) throw new NotFoundError('You have given no bank account yet.', 'no_bank_account');
      return shown(account);
    },
  );

  app.put(
    '/api/user/me/bank-account',
    {
      config,
      schema: {
        tags: ['me'],
        summary: 'Set the bank account that payments go to; a new one is paid after 48 hours, and approvals are given again',
        body: Type.Object({
          ...IdentityFields,
          holder_name: Type.String({ minLength: 1, maxLength: ACCOUNT_HOLDER_MAX }),
          routing_number: Type.String({ maxLength: BANK_NUMBER_FIELD_MAX }),
          account_number: Type.String({ maxLength: BANK_NUMBER_FIELD_MAX }),
          account_kind: AccountKind,
          preview: Type.Optional(
            Type.Boolean({
              description: 'Saves nothing, and answers which requests the change would stop. Needs no proof of identity.',
            }),
          ),
          resubmit: Type.Optional(
            Type.Boolean({ description: 'Submits every request that the change stops again, as soon as it is stopped.' }),
          ),
        }),
        response: { 200: Type.Union([BankAccountOut, StopsOut]) },
      },
    },
    async (request) => {
      const user = guard.actor(request);
      const { proof, rest } = splitProof(request.body);
      const { preview = false, resubmit: resubmits = false, ...account } = rest;
      if (preview) return showStops(context, user, await previewBankAccount(context, user, account, context.now()));
      await requireIdentity(context, request, user, proof);
      const change = { by: changedBy(request, user), now: context.now(), resubmits };
      return shown(await countChange(context, user.id, () => setBankAccount(context, user.id, account, change)));
    },
  );
}

async function showStops(context: ApiContext, user: User, data: Disbursement[]) {
  const { data: stops } = await showDisbursements(context, user, { data, next_cursor: null });
  return { stops, total_cents: data.reduce((sum, { amount_cents }) => sum + amount_cents, 0) };
}

/**
 * Each change of account is announced by mail and text, so there can be 30 in an hour (RATE-4). A change that is rejected, or
 * that sets the same account, does not count.
 * @throws {TooManyRequestsError} for one more.
 */
async function countChange({ db, throttle }: ApiContext, userId: number, set: () => Promise<BankAccount>): Promise<BankAccount> {
  const subject = String(userId);
  const before = await findBankAccount(db, userId);
  await throttle.consume('account_change', subject);
  let after: BankAccount | null = before;
  try {
    after = await set();
    return after;
  } finally {
    if (after?.id === before?.id) await throttle.returnTry('account_change', subject);
  }
}

function shown({ holder_name, routing_number, last_four, account_kind, usable_from }: BankAccount) {
  return { holder_name, routing_number, last_four, account_kind, usable_from };
}
