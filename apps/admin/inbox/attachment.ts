import { type Html, html } from '@case-platform/lib/html';
import type { MessageFile } from '@case-platform/modules/messaging';
import { fileKindWords, isShownPicture, sizeWords } from '@case-platform/words/files';
import { icon } from '../page/icons.ts';

/** Larger pictures are shown as a tile and not loaded into the page. */
const PICTURE_MAX_BYTES = 4 * 1024 * 1024;

/** The files of a message: pictures are shown, everything else is a tile that downloads it. */
export function attachments(files: readonly MessageFile[]): Html {
  return files.length === 0 ? html`` : html`<ul class="attachment-list">${files.map(attachment)}</ul>`;
}

function attachment({ url, filename, content_type, size }: MessageFile): Html {
  const note = `${fileKindWords(filename) ?? 'File'}, ${sizeWords(size)}`;
  if (isShownPicture(content_type) && size <= PICTURE_MAX_BYTES) {
    return html`<li>
      <a class="attachment-tile is-image" href="${url}" title="${filename}">
        <img src="${url}" alt="" loading="lazy">
        <span class="attachment-name">${filename}</span>
        <span class="attachment-note">${note}</span>
      </a>
    </li>`;
  }
  const mark = content_type.startsWith('image/') ? 'image' : 'file-text';
  return html`<li>
    <a class="attachment-tile" href="${url}" title="${filename}">
      <span class="attachment-mark">${icon(mark)}</span>
      <span class="attachment-name">${filename}</span>
      <span class="attachment-note">${note}</span>
    </a>
  </li>`;
}
