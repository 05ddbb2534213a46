import { fileKindWords, sizeWords } from '@case-platform/words/files';
import { FileText } from 'lucide-react';
import type { CaseDocument, Receipt } from '../api/api-shapes.ts';
import { Time } from '../look/clock.tsx';

/** The facts of an attached file: its name, which downloads it once it was checked, and its kind, size, and sender. */
export function FileFacts({ file: { filename, url, size, uploaded_by, created_at } }: { file: CaseDocument | Receipt }) {
  return (
    <>
      <FileText className="mt-0.5 size-5 flex-none" aria-hidden="true" />
      <div className="min-w-0 flex-1">
        <p className="wrap-anywhere">
          {url === null ? (
            <>
              {filename} <span className="quiet text-small">(being checked)</span>
            </>
          ) : (
            <a className="link" href={url} download={filename}>
              {filename}
            </a>
          )}
        </p>
        <p className="quiet text-small wrap-anywhere">
          {fileKindWords(filename) ?? 'File'}, {sizeWords(size)} · {uploaded_by.name}, <Time at={created_at} />
        </p>
      </div>
    </>
  );
}
