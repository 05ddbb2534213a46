import { errorMessage } from '../api/api-error.ts';

interface Props {
  words: string;
  /** Why the last page could not be loaded; null if it could. */
  error: Error | null;
  busy: boolean;
  onMore: () => void;
}

/** Loads the next page of a list, and says why it could not be loaded. */
export function MoreButton({ words, error, busy, onMore }: Props) {
  return (
    <div className="p-4 text-center">
      {error !== null && (
        <p className="field-error mb-2" role="alert">
          We couldn’t load more. {errorMessage(error)}
        </p>
      )}
      <button type="button" className="btn btn-sm" onClick={onMore} disabled={busy} data-busy={busy}>
        {busy ? 'Loading…' : words}
      </button>
    </div>
  );
}
