import { readdirSync, readFileSync } from 'node:fs';

/** Bytes of the processes of one kind: resident, and with what several share divided among them. */
export interface Resident {
  count: number;
  rss: number;
  pss: number;
}

const KINDS: [RegExp, string][] = [
  [/apps\/(\w+)\/main\.ts/, '$1'],
  [/postgres/, 'postgres'],
  [/scripts\/start\.mjs/, 'supervisor'],
  [/^npm/, 'npm'],
];

/** What a process and all that it has started hold at this moment, by kind. Linux alone tells. */
export function readTree(root: number): Map<string, Resident> {
  const kinds = new Map<string, Resident>();
  for (const pid of descendants(root)) {
    const found = readProcess(pid);
    if (found === null) continue;
    const { count, rss, pss } = kinds.get(found.kind) ?? { count: 0, rss: 0, pss: 0 };
    kinds.set(found.kind, { count: count + 1, rss: rss + found.rss, pss: pss + found.pss });
  }
  return kinds;
}

function descendants(root: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const parent = parentOf(name);
    if (parent !== null) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const found = [root];
  for (const pid of found) found.push(...(children.get(pid) ?? []));
  return found;
}

function parentOf(pid: string): number | null {
  // The name before it may hold anything, also spaces and brackets.
  const stat = readOrNull(`/proc/${pid}/stat`);
  return stat === null ? null : Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

function readProcess(pid: number) {
  const [command, sizes] = [readOrNull(`/proc/${pid}/cmdline`), readOrNull(`/proc/${pid}/smaps_rollup`)];
  if (!command || !sizes) return null;
  const bytes = (name: string) => 1024 * Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(sizes)?.[1]);
  return { kind: kindOf(command.replaceAll('\0', ' ')), rss: bytes('Rss'), pss: bytes('Pss') };
}

function kindOf(command: string): string {
  for (const [pattern, kind] of KINDS) {
    const found = pattern.exec(command);
    if (found !== null) return kind.replace('$1', found[1] ?? '');
  }
  return 'others';
}

/** A process may end while it is looked at. */
function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
