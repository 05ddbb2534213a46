import { readdirSync, readlinkSync } from 'node:fs';

/**
 * The temporary files that this process has open (modules/storage/spool-file.ts), which have no name in any folder.
 * @param before those of earlier tests, which do not count.
 */
export function openSpools(before: readonly string[] = []): string[] {
  return readdirSync('/proc/self/fd')
    .map((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`);
      } catch {
        // The descriptor of the folder itself.
        return '';
      }
    })
    .filter((path) => /\/spool-[\da-f-]{36}\b/.test(path) && !before.includes(path));
}
