import { writeSync } from 'node:fs';
import { cleanBytes } from './cleaners.ts';
import { openInput, openOutput } from './open-file.ts';
import { DamagedPictureError } from './picture-bytes.ts';
import { DAMAGED_EXIT, READY } from './process-answer.ts';

/**
 * The program that `cleanPictures` starts. Its arguments are content types; for each there are two open files, the picture and an
 * empty file for the clean one. It writes a line for each finished picture, and stops at the first damaged one.
 */

writeSync(1, READY);
try {
  for (const [index, contentType] of process.argv.slice(2).entries()) {
    cleanBytes(contentType, openInput(3 + 2 * index), openOutput(4 + 2 * index));
    writeSync(1, 'clean\n');
  }
} catch (error) {
  if (!(error instanceof DamagedPictureError)) throw error;
  process.exitCode = DAMAGED_EXIT;
}
