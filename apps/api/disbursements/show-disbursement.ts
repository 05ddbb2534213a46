import { NotFoundError } from '@case-platform/lib/errors';
import type { User } from '@case-platform/modules/accounts';
import {
  type Disbursement,
  type DraftOfAnother,
  getDisbursement,
  listDisbursementFiles,
  listRequestBenefits,
  listTimelines,
} from '@case-platform/modules/disbursements';
import type { ApiContext } from '../api-context.ts';
import { toDisbursementOut } from './disbursement-schemas.ts';

/** Requests with their receipts, contract limits, and timelines, as answers show them. */
export async function showDisbursements(
  context: ApiContext,
  user: User,
  page: { data: (Disbursement | DraftOfAnother)[]; next_cursor: string | null },
) {
  const ids = page.data.map(({ id }) => id);
  const [files, benefits, timelines] = await Promise.all([
    listDisbursementFiles(context, user, ids),
    listRequestBenefits(context.db, user, ids, context.now()),
    listTimelines(context.db, user, ids),
  ]);
  const data = page.data.map((one) =>
    toDisbursementOut(one, {
      files: files.get(one.id),
      benefit: benefits.get(one.id),
      timeline: timelines.get(one.id),
    }),
  );
  return { data, next_cursor: page.next_cursor };
}

/** One request as someone sees it who may only pay it: without its timeline and limit (CASE-2). @throws {NotFoundError} */
export async function showPayment(context: ApiContext, user: User, id: number) {
  const disbursement = await getDisbursement(context.db, user, id, context.now(), { onlyPays: true });
  const files = await listDisbursementFiles(context, user, [id]);
  return toDisbursementOut(disbursement, { files: files.get(id), benefit: undefined, timeline: undefined });
}

/** One request in the same way as in a list. @throws {NotFoundError} */
export async function showDisbursement(context: ApiContext, user: User, id: number) {
  const disbursement = await getDisbursement(context.db, user, id, context.now());
  const { data } = await showDisbursements(context, user, { data: [disbursement], next_cursor: null });
  const [shown] = data;
  if (shown === undefined) throw new NotFoundError();
  return shown;
}

/**
 * Changes a request and shows the result. It is read before the commit: right afterwards, someone else may make it a draft that
 * the caller does not see, and the person who approved it would get a 404 (REQUEST-10).
 * @param change gets the context within the transaction.
 * @throws {NotFoundError} and whatever the change throws.
 */
export function changeAndShow(
  context: ApiContext,
  user: User,
  id: number,
  change: (within: ApiContext) => Promise<void>,
): ReturnType<typeof showDisbursement> {
  return context.db.transaction(async (tx) => {
    const within = { ...context, db: tx };
    await change(within);
    return showDisbursement(within, user, id);
  });
}
