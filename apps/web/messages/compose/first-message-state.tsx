import { Notice } from '../../look/notice.tsx';
import type { OutboxEntry } from './outbox-reducer.ts';
import { WaitReason } from './wait-reason.tsx';

interface Props {
  entry: OutboxEntry;
  /** Missing while the same message would be rejected again. */
  onRetry: (() => void) | undefined;
  onCancel: () => void;
}

/** Says below a form why the first message of a conversation has failed, or what it waits for. */
export function FirstMessageState({ entry, onRetry, onCancel }: Props) {
  if (entry.state === 'sending') return null;
  if (entry.state === 'waiting') {
    return (
      <Notice kind="waiting" title="Not sent yet">
        <p>
          <WaitReason goesAt={entry.goesAt} />
        </p>
        <button type="button" className="btn btn-sm mt-2" onClick={onCancel}>
          Cancel
        </button>
      </Notice>
    );
  }
  return (
    <Notice kind="error" title={entry.error === null ? 'You cancelled this message' : 'We couldn’t send this message'}>
      <p>It is saved as a draft. {entry.error}</p>
      {onRetry !== undefined && (
        <button type="button" className="btn btn-sm mt-2" onClick={onRetry}>
          Try again
        </button>
      )}
    </Notice>
  );
}
