'use client';

import { sizeWords } from '@case-platform/words/files';
import { X } from 'lucide-react';
import { FilePicture } from '../../uploads/file-picture.tsx';
import type { useFileChoice } from './use-file-choice.ts';

type Choice = ReturnType<typeof useFileChoice>;

/** The files that will be sent with a message; pictures have a thumbnail. */
export function ChosenFiles({ choice, disabled }: { choice: Choice; disabled: boolean }) {
  if (choice.files.length === 0) return null;
  return (
    <ul className="composer-files" aria-label="Files to send">
      {choice.files.map(({ key, file }) => (
        <li key={key} className="file-chip">
          <FilePicture file={file} />
          <span>{file.name}</span>
          <span className="quiet whitespace-nowrap">{sizeWords(file.size)}</span>
          <button
            type="button"
            className="btn btn-ghost btn-square btn-xs"
            aria-label={`Remove ${file.name}`}
            title="Remove"
            disabled={disabled}
            onClick={() => choice.remove(key)}
          >
            <X size={16} aria-hidden="true" />
          </button>
        </li>
      ))}
    </ul>
  );
}

/** The reasons why chosen files were left out. */
export function RefusedFiles({ choice: { refused, dismiss } }: { choice: Choice }) {
  return (
    <div role="alert">
      {refused.length > 0 && (
        <div className="notice is-error mb-2">
          <div>
            <p className="notice-title">{refused.length === 1 ? 'A file was left out' : 'Some files were left out'}</p>
            <ul className="text-small">
              {refused.map(({ name, reason }) => (
                <li key={name}>
                  {name} {reason}
                </li>
              ))}
            </ul>
          </div>
          <button type="button" className="btn btn-ghost btn-square btn-xs" aria-label="Close" onClick={dismiss}>
            <X size={16} aria-hidden="true" />
          </button>
        </div>
      )}
    </div>
  );
}
