'use client';

interface Props {
  /** From 0 to 1. */
  share: number;
  onCancel: () => void;
}

export function UploadProgress({ share, onCancel }: Props) {
  const percent = Math.floor(share * 100);
  return (
    <div className="upload-progress">
      <progress max={100} value={percent} aria-label="Sending the files" />
      <span className="progress-words" aria-hidden="true">
        {percent < 100 ? `${percent}%` : 'Checking…'}
      </span>
      <button type="button" className="btn btn-ghost btn-xs" onClick={onCancel}>
        Cancel
      </button>
    </div>
  );
}
