'use client';

import { fileKindWords, isShownPicture, sizeWords } from '@case-platform/words/files';
import { FileText } from 'lucide-react';
import { useState } from 'react';
import type { Receipt } from '../../api/api-shapes.ts';

/** Shows the whole picture of a receipt, or a link if the file is not a picture that browsers show. */
export function ReceiptPicture({ file }: { file: Receipt }) {
  const { filename, content_type, size, url } = file;
  // Each answer has a newly signed URL. The shown one is kept until it fails, so that a refresh does not flicker.
  const [shown, setShown] = useState(url);
  if (url === null) return <p className="quiet text-small">{filename} (being checked)</p>;
  if (!isShownPicture(content_type)) {
    return (
      <a className="link flex min-h-11 items-center gap-2 text-small" href={url} download={filename}>
        <FileText size={18} className="flex-none" aria-hidden="true" />
        <span className="wrap-anywhere">{filename}</span>
        <span className="quiet flex-none">
          {fileKindWords(filename) ?? 'File'}, {sizeWords(size)}
        </span>
      </a>
    );
  }
  return (
    <a href={url} target="_blank" rel="noreferrer" title={`Open ${filename}`} className="block">
      {/* biome-ignore lint/performance/noImgElement: a signed address of the object store must not pass through this server. */}
      <img
        className="max-h-80 min-h-11 max-w-full rounded-lg border border-(--hairline) object-contain"
        src={shown ?? url}
        alt={`Receipt: ${filename}`}
        decoding="async"
        onError={() => setShown(url)}
      />
    </a>
  );
}
