'use client';

import { CircleAlert } from 'lucide-react';
import { FilePicture } from '../../uploads/file-picture.tsx';
import { UploadProgress } from '../../uploads/upload-progress.tsx';
import { MessageText } from '../message-text.tsx';
import type { OutboxEntry } from './outbox-reducer.ts';
import { WaitReason } from './wait-reason.tsx';

interface Props {
  entry: OutboxEntry;
  onCancel: () => void;
  onRetry: () => void;
  onEdit: () => void;
}

/** A message that is being sent or has failed, with the actions for its state. */
export function OutboxMessage({ entry, onCancel, onRetry, onEdit }: Props) {
  return (
    <li className={`message is-mine ${entry.state === 'failed' ? 'is-failed' : 'is-pending'}`}>
      <div className="bubble" dir="auto">
        <MessageText text={entry.text} />
      </div>
      <OutgoingFiles entry={entry} />
      {entry.state === 'failed' && <Failed entry={entry} onRetry={onRetry} onEdit={onEdit} />}
      {entry.state === 'waiting' && (
        <div className="message-state" role="status">
          <WaitReason goesAt={entry.goesAt} />
          <button type="button" className="btn btn-ghost btn-sm" onClick={onEdit}>
            Edit
          </button>
        </div>
      )}
      {entry.state === 'sending' && (
        <div className="message-state w-full justify-end">
          {entry.files.length > 0 ? <UploadProgress share={entry.progress} onCancel={onCancel} /> : <span>Sending…</span>}
        </div>
      )}
    </li>
  );
}

function Failed({ entry, onRetry, onEdit }: Pick<Props, 'entry' | 'onRetry' | 'onEdit'>) {
  return (
    <div className="message-state" role="alert">
      <span>
        <CircleAlert size={16} aria-hidden="true" className="me-1.5 inline align-[-0.15em]" />
        {entry.error === null ? 'You cancelled this message.' : 'We couldn’t send this message.'} It is saved as a draft.{' '}
        {entry.error}
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
  );
}

/** Shows pictures while they upload, and only the names of files that a reload has lost. */
function OutgoingFiles({ entry }: { entry: OutboxEntry }) {
  if (entry.filesLost || entry.files.length === 0) {
    return entry.fileNames.length > 0 && <p className="message-state">{entry.fileNames.join(', ')}</p>;
  }
  return (
    <ul className="flex flex-wrap justify-end gap-2" aria-label="Files being sent">
      {entry.files.map((file, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same file can be attached twice, and their order does not change.
        <li key={index} className="file-chip">
          <FilePicture file={file} />
          <span>{file.name}</span>
        </li>
      ))}
    </ul>
  );
}
