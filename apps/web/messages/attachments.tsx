'use client';

import { fileKindWords, isShownPicture, sizeWords } from '@case-platform/words/files';
import { FileImage, FileSpreadsheet, FileText } from 'lucide-react';
import { useState } from 'react';
import type { MessageFile } from '../api/api-shapes.ts';
import { lazyDialog } from '../look/lazy-dialog.tsx';

const PictureView = lazyDialog(async () => (await import('./picture-view.tsx')).PictureView);

/** The files of a message as tiles. A picture is shown in its tile and enlarged on a click. */
export function Attachments({ files }: { files: readonly MessageFile[] }) {
  const [viewed, setViewed] = useState<MessageFile | null>(null);
  if (files.length === 0) return null;
  const pictures = files.filter((file) => isShownPicture(file.content_type));
  return (
    <>
      <ul className="attachment-list">
        {files.map((file) => (
          <li key={file.id} className="min-w-0">
            {isShownPicture(file.content_type) ? (
              <PictureTile file={file} onView={() => setViewed(file)} />
            ) : (
              <FileTile file={file} />
            )}
          </li>
        ))}
      </ul>
      {viewed !== null && (
        <PictureView
          pictures={pictures}
          start={pictures.findIndex(({ id }) => id === viewed.id)}
          onClose={() => setViewed(null)}
        />
      )}
    </>
  );
}

function PictureTile({ file, onView }: { file: MessageFile; onView: () => void }) {
  return (
    <button type="button" className="attachment-tile is-image cursor-zoom-in!" title={file.filename} onClick={onView}>
      <span className="sr-only">Show larger: </span>
      {/* biome-ignore lint/performance/noImgElement: a signed address of the object store must not pass through this server. */}
      <img src={file.url} alt="" loading="lazy" decoding="async" />
      <span className="attachment-name">{file.filename}</span>
      <span className="attachment-note">{noteOf(file)}</span>
    </button>
  );
}

function FileTile({ file }: { file: MessageFile }) {
  const Icon = file.content_type.startsWith('image/') ? FileImage : isTable(file.filename) ? FileSpreadsheet : FileText;
  return (
    <a className="attachment-tile" href={file.url} download={file.filename} title={file.filename}>
      <span className="attachment-mark">
        <Icon aria-hidden="true" />
      </span>
      <span className="attachment-name">{file.filename}</span>
      <span className="attachment-note">{noteOf(file)}</span>
    </a>
  );
}

function noteOf({ filename, size }: MessageFile): string {
  return `${fileKindWords(filename) ?? 'File'}, ${sizeWords(size)}`;
}

function isTable(name: string): boolean {
  return /\.(csv|xlsx?)$/i.test(name);
}
