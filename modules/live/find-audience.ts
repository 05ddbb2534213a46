import type { Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import { chainIsVisible } from '@case-platform/modules/messaging';
import type { UserType } from '@case-platform/words/user-types';
import { type LiveReader, MAY_RECEIVE, readerRows } from './find-ended.ts';

export interface Audience<Reader> {
  receive: Reader[];
  /** Readers who see the conversation, but whose account, permission, token, or session has ended. */
  ended: Reader[];
}

/**
 * Finds which of these readers receive an event of a conversation now (LIVE-2): the condition of `chainIsVisible` for many
 * readers at once, together with `MAY_RECEIVE`.
 * @param noLonger ids of people who receive the event although they just lost access to the conversation.
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
  // The condition is the same for all types that are not staff.
  const rows = await query<{ place: number; may_receive: boolean }>(
    db,
    sql`${audienceOf(members, 'ip')} union all ${audienceOf(places.filter(isStaff), 'admin')}`,
  );
  const readersOf = (may: boolean) =>
    rows.filter(({ may_receive }) => may_receive === may).flatMap(({ place }) => readers[place] ?? []);
  return { receive: readersOf(true), ended: readersOf(false) };
}
