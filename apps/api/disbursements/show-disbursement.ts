import type { User } from '@case-platform/modules/accounts';
import { type Disbursement, getDisbursement, listDisbursementFiles } from '@case-platform/modules/disbursements';
import type { FastifyRequest } from 'fastify';
import type { ApiContext } from '../api-context.ts';
import { changedBy } from '../guards/changed-by.ts';
import { toDisbursementOut } from './disbursement-schemas.ts';

/** The caller as the one who makes a change. */
export function changedByUser(request: FastifyRequest, user: User) {
  return { ...changedBy(request, user), actor: user };
}

/** Disbursements with their receipts, as an answer shows them. */
export async function showDisbursements(
  context: ApiContext,
  user: User,
  page: { data: Disbursement[]; next_cursor: string | null },
) {
  const ids = page.data.map(({ id }) => id);
  const files = await listDisbursementFiles(context, user, ids);
  const data = page.data.map((one) => toDisbursementOut(one, files.get(one.id) ?? []));
  return { data, next_cursor: page.next_cursor };
}

/** One disbursement with its receipts. @throws {NotFoundError} */
export async function showDisbursement(context: ApiContext, user: User, id: number) {
  const disbursement = await getDisbursement(context.db, user, id, context.now());
  const files = await listDisbursementFiles(context, user, [id]);
  return toDisbursementOut(disbursement, files.get(id) ?? []);
}
