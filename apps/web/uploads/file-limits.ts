import { sizeWords } from '@case-platform/words/files';

/** What a message may carry (decisions, section 6). The API decides; this tells people before they wait for an upload. */
const MOST_FILES = 10;
export const MOST_BYTES_A_FILE = 25 * 1024 * 1024;
const MOST_BYTES_TOGETHER = 50 * 1024 * 1024;
export const MOST_CHARACTERS = 10_000;
export const MOST_SUBJECT_CHARACTERS = 200;

const TYPES: Record<string, string> = {
  pdf: 'PDF',
  jpg: 'JPEG image',
  jpeg: 'JPEG image',
  png: 'PNG image',
  gif: 'GIF image',
  webp: 'WebP image',
  heic: 'HEIC image',
  heif: 'HEIC image',
  txt: 'Text',
  csv: 'CSV table',
  doc: 'Word document',
  docx: 'Word document',
  xls: 'Excel workbook',
  xlsx: 'Excel workbook',
};

/** As the API names them. */
const TYPES_IN_WORDS = 'PDF, JPEG, PNG, GIF, WebP, HEIC, plain text, CSV, Word and Excel files';

/** Pictures that browsers can show; HEIC is not among them. */
const SHOWN = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** For the file dialog. */
export const ACCEPTED = Object.keys(TYPES)
  .map((extension) => `.${extension}`)
  .join(',');

interface FileFacts {
  name: string;
  size: number;
}

/** Divides newly chosen files into those that can be attached and the reasons why others cannot. */
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
  if (fileTypeWords(file.name) === null) return `is not a kind of file that can be sent: ${TYPES_IN_WORDS}`;
  if (file.size === 0) return 'is empty';
  if (file.size > MOST_BYTES_A_FILE) return `is ${sizeWords(file.size)}. A file may have at most 25 MiB`;
  if (count >= MOST_FILES) return 'is one too many. A message may have at most 10 files';
  if (together + file.size > MOST_BYTES_TOGETHER) {
    return 'does not fit. The files of a message may have at most 50 MiB together';
  }
  return null;
}

/** The type of a file in words, by its name; null when it cannot be attached. */
export function fileTypeWords(name: string): string | null {
  const dot = name.lastIndexOf('.');
  if (dot < 0) return null;
  return TYPES[name.slice(dot + 1).toLowerCase()] ?? null;
}

/** Whether a picture of this content type can be shown in a page. */
export function isShownPicture(contentType: string): boolean {
  return SHOWN.includes(contentType);
}
