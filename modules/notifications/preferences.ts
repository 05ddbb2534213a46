import type { Database, Executor } from '@case-platform/lib/database';
import { invalid } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import type { UserType } from '@case-platform/words/user-types';
import { CHANNELS, type Channel, EVENTS, type EventName, findEvent } from './events.ts';

/** One event in a person's settings. */
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

/** Somebody who is notified: what this module needs of a user record. */
export interface Person {
  id: number;
  user_type: UserType;
}

/** What a person is told of, channel by channel; what they must get is on, and `can_change` is false. */
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
      enabled: !canSwitchOff(event, channel) || !off.has(`${event} ${channel}`),
      can_change: canSwitchOff(event, channel),
    })),
  }));
}

/**
 * Sets some of a person's preferences, all or none, and gives all of them back.
 * @throws {InvalidInputError} for an event that is not theirs, or a channel that cannot be switched off.
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
    if (!enabled && !canSwitchOff(event, channel)) {
      throw invalid(`preferences.${at}.enabled`, 'This notification can’t be turned off.');
    }
  });
  // The last word on the same event and channel counts; sorted, so that two at once lock in the same order.
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

/** Whether this person's settings have the event on this channel, and let it be switched off. */
export function maySwitchOff(user: Pick<Person, 'user_type'>, event: string, channel: Channel): boolean {
  const isTheirs = eventsOf(user).some((own) => own === event) && findEvent(event)?.channels[channel] !== undefined;
  return isTheirs && canSwitchOff(event, channel);
}

/** Whether people may do without the event on this channel. */
export function canSwitchOff(event: string, channel: Channel): boolean {
  return findEvent(event)?.channels[channel]?.required !== true;
}

function eventsOf({ user_type }: Pick<Person, 'user_type'>): EventName[] {
  return (Object.keys(EVENTS) as EventName[]).filter((name) => {
    const audience = findEvent(name)?.audience;
    return audience === 'everyone' || audience?.includes(user_type) === true;
  });
}
