import { fileURLToPath } from 'node:url';
import type { PictureFailure } from '@case-platform/words/pictures';
import { createSpoolFile, type SpooledFile, type SpoolToFill } from '../spool-file.ts';
import { type PictureTurn, runPictureProcess } from './picture-process.ts';

/** The kinds of pictures whose metadata is removed. */
export const PICTURE_TYPES: ReadonlySet<string> = new Set([
  'image/jpeg',
  'image/png',
  'image/webp',
  'image/gif',
  'image/heic',
]);

export interface PictureToClean {
  contentType: string;
  content: SpooledFile;
}

/** A picture that cannot be passed on or shown, and why. */
export class UnusablePictureError extends Error {
  readonly failure: PictureFailure;
  /** Which of the pictures it is. */
  readonly index: number;

  constructor(failure: PictureFailure, index = 0) {
    super(`The picture cannot be used: ${failure}.`);
    this.name = 'UnusablePictureError';
    this.failure = failure;
    this.index = index;
  }
}

const PROGRAM = fileURLToPath(new URL('clean-pictures-process.ts', import.meta.url));
/** Some 40 MiB above what Node.js reserves; a cleaner needs less than one. */
const DATA_MIB = 620;

/**
 * Copies pictures without what they say about their maker and place, all in one picture process. Dispose of the copies.
 * @throws {UnusablePictureError} for the first picture that breaks its format, or needs too much memory or time; then there are no
 *   copies. Otherwise as `runPictureProcess`.
 */
export async function cleanPictures(pictures: readonly PictureToClean[], turn: PictureTurn): Promise<SpooledFile[]> {
  if (pictures.length === 0) return [];
  const spools: SpoolToFill[] = [];
  try {
    while (spools.length < pictures.length) spools.push(await createSpoolFile());
    const { output, failure } = await runPictureProcess(
      {
        path: PROGRAM,
        args: pictures.map(({ contentType }) => contentType),
        files: pictures.flatMap(({ content }, index) => [content.fd, spools[index]?.fd ?? -1]),
        dataMiB: DATA_MIB,
      },
      turn,
    );
    if (failure !== null) throw new UnusablePictureError(failure, output.toString('latin1').split('\n').length - 1);
    return await Promise.all(spools.map((spool) => spool.finish()));
  } catch (error) {
    await Promise.all(spools.map((spool) => spool.dispose()));
    throw error;
  }
}

/** Files as they are passed on. Disposing removes the copies that were made, not the files that were given. */
export interface PassedOnFiles extends AsyncDisposable {
  /** In the order of the files that were given. */
  contents: SpooledFile[];
}

/**
 * What is passed on of files: pictures without what they say about their maker and place, anything else as it is.
 * @throws {UnusablePictureError} whose `index` is that of the file. Otherwise as `cleanPictures`.
 */
export async function withoutMetadata(files: readonly PictureToClean[], turn: PictureTurn): Promise<PassedOnFiles> {
  const pictures = files.filter(({ contentType }) => PICTURE_TYPES.has(contentType));
  try {
    const copies = await cleanPictures(pictures, turn);
    const contents = files.map((file) => copies[pictures.indexOf(file)] ?? file.content);
    return {
      contents,
      [Symbol.asyncDispose]: async () => void (await Promise.all(copies.map((copy) => copy.dispose()))),
    };
  } catch (error) {
    const picture = error instanceof UnusablePictureError ? pictures[error.index] : undefined;
    if (!(error instanceof UnusablePictureError) || picture === undefined) throw error;
    throw new UnusablePictureError(error.failure, files.indexOf(picture));
  }
}
