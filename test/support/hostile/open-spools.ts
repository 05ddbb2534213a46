import { readdirSync, readlinkSync } from 'node:fs';

/** The temporary files that this process has open (modules/storage/spool-file.ts), which have no name in any folder. */
export function openSpools(): string[] {
  return readdirSync('/proc/self/fd')
    .map((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`);
      } catch {
        // The descriptor of the folder itself.
        return '';
      }
    })
    .filter((path) => /\/spool-[\da-f-]{36}\b/.test(path));
}
