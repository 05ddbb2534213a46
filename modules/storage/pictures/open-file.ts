import { fstatSync, readSync, writeSync } from 'node:fs';
import type { PictureInput, PictureOutput } from './picture-bytes.ts';

/** An open file for reading at any position, independent of its shared file offset. */
export function openInput(file: number): PictureInput {
  return {
    size: fstatSync(file).size,
    read(target, position) {
      for (let at = 0; ; ) {
        const length = readSync(file, target, at, target.length - at, position + at);
        at += length;
        if (length === 0 || at === target.length) return at;
      }
    },
  };
}

/** An open file for writing at any position. */
export function openOutput(file: number): PictureOutput {
  return {
    write(bytes, position) {
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at, position + at);
    },
  };
}
