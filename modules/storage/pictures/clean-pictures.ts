import { fileURLToPath } from 'node:url';
import type { PictureFailure } from '@case-platform/words/pictures';
import { createSpoolFile, type SpooledFile, type SpoolToFill } from '../spool-file.ts';
import { type PictureTurn, runPictureProcess } from './picture-process.ts';

/** The kinds of pictures whose metadata is removed. */
export const PICTURE_TYPES: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/heic']);

export interface PictureToClean {
  contentType: string;
  content: SpooledFile;
}

/** A picture that cannot be sent or shown, with the reason. */
export class UnusablePictureError extends Error {
  readonly failure: PictureFailure;
  /** The index of the picture. */
  readonly index: number;

  constructor(failure: PictureFailure, index = 0) {
    super(`The picture cannot be used: ${failure}.`);
    this.name = 'UnusablePictureError';
    this.failure = failure;
    this.index = index;
  }
}

const PROGRAM = fileURLToPath(new URL('clean-pictures-process.ts', import.meta.url));
/** About 40 MiB more than Node.js reserves; a cleaner needs less than one. */
const DATA_MIB = 620;

/**
 * Copies pictures without their camera data and location, all in one picture process (PICTURE-2). The caller disposes of the
 * copies.
 * @throws {UnusablePictureError} for the first picture that breaks its format, or needs too much memory or time; then there are
 * no copies.
 * @throws as `runPictureProcess`.
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

/** Files as recipients get them. Disposing removes the copies, and not the original files. */
export interface FilesWithoutMetadata extends AsyncDisposable {
  /** In the order of the original files. */
  contents: SpooledFile[];
}

/**
 * Returns files as recipients get them: pictures without their camera data and location, and anything else unchanged (PICTURE-1).
 * @throws {UnusablePictureError} with the `index` of the file.
 * @throws as `cleanPictures`.
 */
export async function withoutMetadata(files: readonly PictureToClean[], turn: PictureTurn): Promise<FilesWithoutMetadata> {
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
