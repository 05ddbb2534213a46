import { ConflictError } from '@case-platform/lib/errors';
import { approveTogether, listChangedAccounts } from '@case-platform/modules/disbursements';
import { counted } from '@case-platform/words/counts';
import { moneyWords } from '@case-platform/words/money';
import { totalOf } from '@case-platform/words/payee-account';
import { Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { type FormPage, formRoute } from '../form/form-route.ts';
import { Id } from '../form/schemas.ts';

/** Each request as `id:version:version of the account`, separated by spaces. */
const SEEN = '[1-9][0-9]{0,14}:[0-9a-f]{64}:[0-9]{1,18}';
const SeenForm = Type.Object({ seen: Type.String({ maxLength: 20_000, pattern: `^${SEEN}( ${SEEN})*$` }) });

/** The approval of all requests for a payee's new account at once (BANK-9). @param page the dashboard, where its cards are. */
export function accountChangeRoutes(server: AdminServer, page: FormPage<{ case_id: number }, { seen: string }>): void {
  const { context, guards } = server;
  const { db, now } = context;
  formRoute(server, page, '/cases/:case_id/account-changes/approve', {
    guard: guards.apiGuard({ user_types: ['admin'], perm_check: 'approve_drs', case_id: 'case_id' }),
    mails: { disbursement_approved: 'request-approved', payment_date_moved: 'payment-date-moved' },
    params: Type.Object({ case_id: Id }),
    body: SeenForm,
    done: 'approved',
    run: async ({ actor, params: { case_id }, body, by }) => {
      const waiting = await listChangedAccounts(db, actor.user, now(), { case_id });
      const { approved, refused } = await approveTogether({ db, now }, parseSeen(body.seen), by);
      if (refused.length === 0) return;
      const requestOf = (id: number) => waiting.find((one) => one.id === id);
      const total = totalOf(approved.map((id) => requestOf(id) ?? { amount_cents: 0 }));
      const reasons = refused.map(({ id, why }) => {
        const request = requestOf(id);
        const what = request === undefined ? 'A payment' : `${moneyWords(request.amount_cents)} for ${request.description}`;
        return `${what} wasn’t approved: ${why}`;
      });
      const all = counted(approved.length + refused.length, 'payment');
      throw new ConflictError(`Approved ${approved.length} of ${all}, ${moneyWords(total)}. ${reasons.join(' ')}`, 'partly');
    },
  });
}

function parseSeen(text: string): { id: number; version: string; account_seen: string }[] {
  return text.split(' ').map((part) => {
    const [id, version = '', account_seen = ''] = part.split(':');
    return { id: Number(id), version, account_seen };
  });
}
