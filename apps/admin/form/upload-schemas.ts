import { FILENAME_MAX } from '@case-platform/words/limits';
import { type Static, Type } from 'typebox';

/** A file that is about to be uploaded, as forms send it: a browser that does not know its type sends none. */
export const NewFile = Type.Object({
  filename: Type.String({ minLength: 1, maxLength: FILENAME_MAX }),
  content_type: Type.String({ maxLength: 255, pattern: '^[ -~]*$', default: '' }),
  size: Type.String({ pattern: '^[1-9][0-9]{0,14}$' }),
});

/** The same with its size as a number. */
export function readNewFile({ size, ...file }: Static<typeof NewFile>) {
  return { ...file, size: Number(size) };
}

/** A file that the storage has. */
export const SentFile = Type.Object({ file_key: Type.String({ minLength: 1, maxLength: 200 }) });
