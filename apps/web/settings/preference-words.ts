import type { EventPreference } from '../api/api-shapes.ts';

export type Channel = EventPreference['channels'][number]['channel'];

const WORDS: Record<Channel, { column: string; by: string }> = {
  email: { column: 'Email', by: 'by email' },
  sms: { column: 'Text', by: 'by text message' },
  push: { column: 'Device', by: 'on your devices' },
};

export function channelWords(channel: Channel): string {
  return WORDS[channel].column;
}

/** Names one choice, such as "New messages, by email". */
export function choiceWords(title: string, channel: Channel): string {
  return `${title}, ${WORDS[channel].by}`;
}

/** Lists the channels of all events, in a fixed order. */
export function channelsOf(preferences: readonly EventPreference[]): Channel[] {
  const allChannels = new Set(preferences.flatMap(({ channels }) => channels.map(({ channel }) => channel)));
  return (['email', 'push', 'sms'] as const).filter((channel) => allChannels.has(channel));
}

/** Returns a copy of the preferences with one choice changed. */
export function withChoice(
  preferences: readonly EventPreference[],
  event: string,
  channel: Channel,
  enabled: boolean,
): EventPreference[] {
  return preferences.map((preference) =>
    preference.event === event
      ? {
          ...preference,
          channels: preference.channels.map((one) => (one.channel === channel ? { ...one, enabled } : one)),
        }
      : preference,
  );
}
