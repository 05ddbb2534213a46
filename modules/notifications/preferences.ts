import type { Database, Executor } from '@case-platform/lib/database';
import { invalid } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import type { UserType } from '@case-platform/words/user-types';
import { CHANNELS, type Channel, EVENTS, type EventName, findEvent } from './events.ts';

export interface EventPreference {
  event: EventName;
  title: string;
  channels: { channel: Channel; enabled: boolean; can_change: boolean }[];
}

export interface PreferenceChange {
  event: string;
  channel: Channel;
  enabled: boolean;
}

export interface Person {
  id: number;
  user_type: UserType;
}

/** Lists a person's notifications by channel. Required ones are on, with `can_change` false (NOTIFY-5). */
export async function listPreferences(db: Executor, user: Person): Promise<EventPreference[]> {
  const rows = await query<{ event: string; channel: Channel }>(
    db,
    sql`select event, channel from notification_preference where user_id = ${user.id} and not enabled`,
  );
  const off = new Set(rows.map(({ event, channel }) => `${event} ${channel}`));
  return eventsOf(user).map((event) => ({
    event,
    title: EVENTS[event].title,
    channels: CHANNELS.filter((channel) => findEvent(event)?.channels[channel] !== undefined).map((channel) => ({
      channel,
      enabled: !isOptional(event, channel) || !off.has(`${event} ${channel}`),
      can_change: isOptional(event, channel),
    })),
  }));
}

/**
 * Changes some of a person's preferences, all or none, and returns all of them.
 * @throws {InvalidInputError} for an event that the person does not get, or a channel that cannot be turned off.
 */
export async function setPreferences(
  db: Database,
  user: Person,
  changes: readonly PreferenceChange[],
): Promise<EventPreference[]> {
  const own = new Set<string>(eventsOf(user));
  changes.forEach(({ event, channel, enabled }, at) => {
    if (!own.has(event) || findEvent(event)?.channels[channel] === undefined) {
      throw invalid(`preferences.${at}.event`, 'We don’t know this notification.');
    }
    if (!enabled && !isOptional(event, channel)) {
      throw invalid(`preferences.${at}.enabled`, 'This notification can’t be turned off.');
    }
  });
  // The last change for an event and channel counts. Sorted, so that two calls lock rows in the same order.
  const last = new Map(changes.map((change) => [`${change.event} ${change.channel}`, change]));
  const rows = [...last].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, change]) => change);
  await query(
    db,
    sql`insert into notification_preference (user_id, event, channel, enabled)
        select ${user.id}, event, channel, enabled
          from json_to_recordset(${JSON.stringify(rows)}::json) as c (event text, channel text, enabled boolean)
        on conflict (user_id, event, channel) do update set enabled = excluded.enabled, updated_at = now()`,
  );
  return listPreferences(db, user);
}

/** True if this person's settings show the event on this channel and let them turn it off. */
export function canTurnOff(user: Pick<Person, 'user_type'>, event: string, channel: Channel): boolean {
  const isTheirs = eventsOf(user).some((own) => own === event) && findEvent(event)?.channels[channel] !== undefined;
  return isTheirs && isOptional(event, channel);
}

export function isOptional(event: string, channel: Channel): boolean {
  return findEvent(event)?.channels[channel]?.required !== true;
}

function eventsOf({ user_type }: Pick<Person, 'user_type'>): EventName[] {
  return (Object.keys(EVENTS) as EventName[]).filter((name) => {
    const audience = findEvent(name)?.audience;
    return audience === 'everyone' || audience?.includes(user_type) === true;
  });
}
