'use client';

import { useRef, useState } from 'react';
import { accountProblem, isAnswerLost } from '../api/account-words.ts';
import { apiBrowser } from '../api/api-browser.ts';
import { errorMessage } from '../api/api-error.ts';
import type { EventPreference } from '../api/api-shapes.ts';
import { Notice } from '../look/notice.tsx';
import { type Channel, channelsOf, channelWords, choiceWords, withChoice } from './preference-words.ts';

/** The events and channels of notifications (NOTIFY-5). Each choice is saved at once. */
export function NotificationPreferences({ initial }: { initial: EventPreference[] }) {
  const { preferences, status, problem, choose } = usePreferences(initial);
  const channels = channelsOf(preferences);
  return (
    <section className="panel py-5" aria-labelledby="preferences">
      <div className="px-5">
        <h2 id="preferences" className="font-medium">
          What we tell you about
        </h2>
        <p className="quiet mt-1 text-small">We always tell you about codes, password changes and bank account changes.</p>
        <p className="sr-only" role="status">
          {status}
        </p>
        {problem !== null && (
          <Notice kind="error" title="That choice may not be saved" className="mt-4">
            {problem}
          </Notice>
        )}
      </div>
      <table className="mt-3 w-full">
        <thead>
          <tr className="quiet text-small">
            <th scope="col" className="ps-5 py-2 text-start font-normal">
              <span className="sr-only">About</span>
            </th>
            {channels.map((channel) => (
              <th key={channel} scope="col" className="w-20 py-2 text-center font-normal">
                {channelWords(channel)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {preferences.map((preference) => (
            <PreferenceRow key={preference.event} preference={preference} channels={channels} onChoose={choose} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface RowProps {
  preference: EventPreference;
  channels: readonly Channel[];
  onChoose: (preference: EventPreference, channel: Channel, enabled: boolean) => void;
}

function PreferenceRow({ preference, channels, onChoose }: RowProps) {
  return (
    <tr className="border-t border-hairline">
      <th scope="row" className="py-2 ps-5 text-start font-normal">
        {preference.title}
      </th>
      {channels.map((channel) => {
        const choice = preference.channels.find((one) => one.channel === channel);
        return (
          <td key={channel} className="h-11 text-center">
            {choice === undefined ? (
              <span className="quiet text-small">
                <span aria-hidden="true">–</span>
                <span className="sr-only">Not sent this way</span>
              </span>
            ) : (
              <Choice
                words={choiceWords(preference.title, channel)}
                choice={choice}
                onChoose={(enabled) => onChoose(preference, channel, enabled)}
              />
            )}
          </td>
        );
      })}
    </tr>
  );
}

interface ChoiceProps {
  words: string;
  choice: EventPreference['channels'][number];
  onChoose: (enabled: boolean) => void;
}

function Choice({ words, choice, onChoose }: ChoiceProps) {
  if (!choice.can_change) return <span className="quiet text-small">Always</span>;
  return (
    <label className="inline-grid size-11 place-items-center">
      <input
        type="checkbox"
        className="checkbox"
        aria-label={words}
        checked={choice.enabled}
        onChange={(event) => onChoose(event.target.checked)}
      />
    </label>
  );
}

/** Shows a choice at once and reverts it if it could not be saved. Choices are sent one after another. */
function usePreferences(initial: EventPreference[]) {
  const [preferences, setPreferences] = useState(initial);
  const [status, setStatus] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const last = useRef(Promise.resolve());

  const save = async ({ event, title }: EventPreference, channel: Channel, enabled: boolean) => {
    try {
      const body = { preferences: [{ event, channel, enabled }] };
      await apiBrowser('/api/notifications/preferences', { method: 'PUT', body });
      setStatus(`${choiceWords(title, channel)}: ${enabled ? 'on' : 'off'}. Saved.`);
    } catch (error) {
      setPreferences((before) => withChoice(before, event, channel, !enabled));
      setProblem(isAnswerLost(error) ? accountProblem(error) : `Nothing has changed. Try again. ${errorMessage(error)}`);
    }
  };
  const choose = (preference: EventPreference, channel: Channel, enabled: boolean) => {
    setProblem(null);
    setPreferences((before) => withChoice(before, preference.event, channel, enabled));
    last.current = last.current.then(() => save(preference, channel, enabled));
  };
  return { preferences, status, problem, choose };
}
