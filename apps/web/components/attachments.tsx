'use client';

import { FileImage, FileSpreadsheet, FileText } from 'lucide-react';
import type { MessageFile } from '../lib/api-shapes.ts';
import { fileTypeWords, isShownPicture, sizeWords } from '../lib/file-limits.ts';

/** The files of a message as tiles; pictures show themselves. The addresses are signed and work for an hour. */
export function Attachments({ files }: { files: readonly MessageFile[] }) {
  if (files.length === 0) return null;
  return (
    <ul className="attachment-list">
      {files.map((file) => (
        <li key={file.id} className="min-w-0">
          <Attachment file={file} />
        </li>
      ))}
    </ul>
  );
}

function Attachment({ file }: { file: MessageFile }) {
  const note = `${fileTypeWords(file.filename) ?? 'File'}, ${sizeWords(file.size)}`;
  const name = <span className="attachment-name">{file.filename}</span>;
  if (isShownPicture(file.content_type)) {
    return (
      <a className="attachment-tile is-image" href={file.url} download={file.filename} title={file.filename}>
        {/* biome-ignore lint/performance/noImgElement: a signed address of the object store must not pass through this server. */}
        <img src={file.url} alt="" loading="lazy" decoding="async" />
        {name}
        <span className="attachment-note">{note}</span>
      </a>
    );
  }
  const Icon = file.content_type.startsWith('image/') ? FileImage : isTable(file.filename) ? FileSpreadsheet : FileText;
  return (
    <a className="attachment-tile" href={file.url} download={file.filename} title={file.filename}>
      <span className="attachment-mark">
        <Icon aria-hidden="true" />
      </span>
      {name}
      <span className="attachment-note">{note}</span>
    </a>
  );
}

function isTable(name: string): boolean {
  return /\.(csv|xlsx?)$/i.test(name);
}
