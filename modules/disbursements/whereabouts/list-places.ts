import type { Executor } from '@case-platform/lib/database';
import { sql } from '@case-platform/lib/sql';
import { readsRequests } from '../disbursement-access.ts';
import { readDisbursementLists, type Viewer } from '../list-disbursements.ts';
import type { Whereabouts } from './whereabouts.ts';

/**
 * Says where the payments of these requests are, by request id, for lists that show only their place, such as a calendar. Empty for
 * admins whose role reads no requests. The caller has checked access to the requests.
 */
export async function listPlaces(
  db: Executor,
  reader: Viewer,
  ids: readonly (number | null)[],
  now: Date,
): Promise<ReadonlyMap<number, Whereabouts>> {
  const requests = ids.filter((id) => id !== null);
  if (requests.length === 0 || !(await readsRequests(db, reader))) return new Map();
  const lists = sql`select 'all' as list, id, 0 as place from unnest(${requests}::bigint[]) k (id)`;
  const shown = (await readDisbursementLists(db, reader, lists, now)).get('all') ?? [];
  return new Map(shown.map(({ id, whereabouts }) => [id, whereabouts]));
}
