import type { Executor } from '@case-platform/lib/database';
import { listRequestBenefits, type RequestBenefit } from '../benefits/request-benefits.ts';
import { type Disbursement, listDisbursements, type Viewer } from '../list-disbursements.ts';

const SHOWN = 100;

/** Lists the requests that wait for a reader and were approved for an account that the payee has since replaced (BANK-9). */
export async function listChangedAccounts(
  db: Executor,
  reader: Viewer,
  now: Date,
  { case_id }: { case_id?: number | undefined } = {},
): Promise<(Disbursement & { benefit: RequestBenefit | null })[]> {
  const filter = { case_id, waiting_for_me: true, for_changed_account: true, limit: SHOWN };
  const { data } = await listDisbursements(db, reader, filter, now);
  const requests = data.filter((one) => one.has_content);
  if (requests.length === 0) return [];
  const ids = requests.map(({ id }) => id);
  const benefits = await listRequestBenefits(db, reader, ids, now);
  return requests.map((request) => ({ ...request, benefit: benefits.get(request.id) ?? null }));
}
