import type { Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import { chainIsVisible } from '@case-platform/modules/messaging';
import type { UserType } from '@case-platform/words/user-types';
import { type LiveReader, MAY_RECEIVE, readerRows } from './find-ended.ts';

/** The readers of an event. */
export interface Audience<Reader> {
  receive: Reader[];
  /** These would see the chain, but their account, permission, token, or session has ended. */
  ended: Reader[];
}

/**
 * Which of these readers receive an event of a chain now: the conditions of `chainIsVisible`, for many readers at once, and
 * those on what each stream was opened with.
 * @param noLonger ids of people who receive it although they have just lost sight of the chain.
 */
export async function findAudience<Reader extends LiveReader>(
  db: Executor,
  chainId: number,
  readers: readonly Reader[],
  noLonger: readonly number[] = [],
): Promise<Audience<Reader>> {
  const places = [...readers.entries()];
  const isStaff = ([, { user }]: [number, Reader]) => user.user_type === 'admin';
  const audienceOf = (some: typeof places, user_type: UserType) =>
    sql`select reader.place, ${MAY_RECEIVE} as may_receive
          from message_chain c cross join ${readerRows(new Map(some))}
         where c.id = ${chainId} and (reader.user_id = any(${noLonger}::bigint[])
            or ${chainIsVisible({ id: sql`reader.user_id`, user_type })})`;
  const members = places.filter((place) => !isStaff(place));
  // Among the types that are not staff, the condition does not differ.
  const rows = await query<{ place: number; may_receive: boolean }>(
    db,
    sql`${audienceOf(members, 'ip')} union all ${audienceOf(places.filter(isStaff), 'admin')}`,
  );
  const readersOf = (may: boolean) =>
    rows.filter(({ may_receive }) => may_receive === may).flatMap(({ place }) => readers[place] ?? []);
  return { receive: readersOf(true), ended: readersOf(false) };
}
