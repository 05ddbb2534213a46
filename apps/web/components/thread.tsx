'use client';

import { CircleAlert } from 'lucide-react';
import type { Chain, Message } from '../lib/api-shapes.ts';
import { roleInChain } from '../lib/chain-words.ts';
import { threadItems } from '../lib/thread-items.ts';
import { dayWords } from '../lib/time-words.ts';
import type { OutboxEntry } from '../lib/use-outbox.ts';
import { Attachments } from './attachments.tsx';
import { Time, useClock } from './clock.tsx';
import { MessageText } from './message-text.tsx';
import { UploadProgress } from './upload-progress.tsx';

interface Props {
  chain: Chain;
  messages: readonly Message[];
  reader: { id: number; type: string };
  newFromId: number | null;
}

/** The messages of a chain under their days, mine on the right. */
export function ThreadMessages({ chain, messages, reader, newFromId }: Props) {
  const { timeZone, now } = useClock();
  return threadItems(messages, reader, timeZone, newFromId).map((item) => {
    if (item.kind === 'day') {
      return (
        <li key={item.key} className="day-separator">
          <span>{dayWords(item.at, now, timeZone)}</span>
        </li>
      );
    }
    if (item.kind === 'new') {
      return (
        <li key={item.key} className="day-separator is-new">
          <span>New</span>
        </li>
      );
    }
    return <ChainMessage key={item.key} chain={chain} message={item.message} mine={item.mine} follows={item.follows} />;
  });
}

interface MessageProps {
  chain: Chain;
  message: Message;
  mine: boolean;
  follows: boolean;
}

function ChainMessage({ chain, message, mine, follows }: MessageProps) {
  const staff = message.from_type === 'admin';
  const side = mine ? 'is-mine' : staff ? 'is-staff' : '';
  return (
    <li className={`message ${side} ${follows ? '-mt-3' : ''}`}>
      <div className={follows ? 'sr-only' : 'message-meta'}>
        <span className={mine ? 'sr-only' : 'message-from'}>{mine ? 'You' : message.from_name}</span>
        {!mine && (
          <span className="message-role">
            {roleInChain({ user_type: message.from_type, user_id: message.from_id }, chain)}
          </span>
        )}
        <Time at={message.created_at} clockOnly className="message-time" />
      </div>
      <div className="bubble" title={follows ? message.from_name : undefined}>
        <MessageText text={message.message} />
      </div>
      <Attachments files={message.files} />
    </li>
  );
}

interface OutboxProps {
  entry: OutboxEntry;
  onCancel: () => void;
  onRetry: () => void;
  onEdit: () => void;
}

/** A message that is on its way or did not get there, with what can be done about it. */
export function OutboxMessage({ entry, onCancel, onRetry, onEdit }: OutboxProps) {
  const failed = entry.state === 'failed';
  return (
    <li className={`message is-mine ${failed ? 'is-failed' : 'is-pending'}`}>
      <div className="bubble">
        <MessageText text={entry.text} />
      </div>
      {entry.fileNames.length > 0 && <p className="message-state">{entry.fileNames.join(', ')}</p>}
      {failed ? (
        <div className="message-state" role="alert">
          <span>
            <CircleAlert size={16} aria-hidden="true" className="me-1.5 inline align-[-0.15em]" />
            {entry.error === null ? 'You cancelled this message.' : 'We could not send this message.'} It is saved as a
            draft. {entry.error}
          </span>
          {!entry.filesLost && (
            <button type="button" className="btn btn-sm" onClick={onRetry}>
              Try again
            </button>
          )}
          <button type="button" className="btn btn-ghost btn-sm" onClick={onEdit}>
            {entry.filesLost ? 'Edit and attach the files again' : 'Edit'}
          </button>
        </div>
      ) : (
        <div className="message-state w-full justify-end">
          {entry.files.length > 0 ? (
            <UploadProgress share={entry.progress} onCancel={onCancel} />
          ) : (
            <span>Sending…</span>
          )}
        </div>
      )}
    </li>
  );
}
