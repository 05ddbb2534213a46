import {
  FILE_KINDS_IN_WORDS,
  FILE_TOO_LARGE,
  FILES_TOO_LARGE,
  fileKindWords,
  sizeWords,
  TOO_MANY_FILES,
} from '@case-platform/words/files';
import { ATTACHMENT_MAX_BYTES, ATTACHMENTS_MAX, ATTACHMENTS_MAX_BYTES } from '@case-platform/words/limits';

interface FileFacts {
  name: string;
  size: number;
}

/**
 * Splits newly chosen files into those that can be attached and the reasons why others cannot (FILE-1, FILE-2). The API
 * decides; this check saves people the wait for an upload that would be rejected.
 */
export function admitFiles<F extends FileFacts>(present: readonly F[], chosen: readonly F[]) {
  const admitted: F[] = [];
  const refused: { name: string; reason: string }[] = [];
  let together = present.reduce((sum, file) => sum + file.size, 0);
  for (const file of chosen) {
    const reason = refusal(file, present.length + admitted.length, together);
    if (reason === null) {
      admitted.push(file);
      together += file.size;
    } else {
      refused.push({ name: file.name, reason });
    }
  }
  return { admitted, refused };
}

function refusal(file: FileFacts, count: number, together: number): string | null {
  if (fileKindWords(file.name) === null) return `can’t be sent. You can attach ${FILE_KINDS_IN_WORDS}.`;
  if (file.size === 0) return 'is empty.';
  if (file.size > ATTACHMENT_MAX_BYTES) return `is ${sizeWords(file.size)}. ${FILE_TOO_LARGE}`;
  if (count >= ATTACHMENTS_MAX) return `is one too many. ${TOO_MANY_FILES}`;
  return together + file.size > ATTACHMENTS_MAX_BYTES ? `doesn’t fit. ${FILES_TOO_LARGE}` : null;
}
