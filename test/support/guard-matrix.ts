import { readFile, writeFile } from 'node:fs/promises';

/**
 * What came of one request: let `in`, not signed in (`401`), led to the sign-in page (`login`), led to where the guard
 * says instead of being refused (`led`), refused (`403`), told that there is nothing here (`404`).
 */
export type Outcome = 'in' | '401' | '403' | '404' | 'login' | 'led';

/** A route's row: its name and, for each principal, what came of it on an own and on a foreign object. */
export interface MatrixRow {
  route: string;
  cells: string[];
}

export interface Asked {
  status: number;
  location: string | null;
}

/** Asks and reads no body: some answers have no end. */
export async function ask(url: string, init: RequestInit): Promise<Asked> {
  const response = await fetch(url, { ...init, redirect: 'manual' });
  await response.body?.cancel();
  return { status: response.status, location: response.headers.get('location') };
}

/** @param redirectTo where the route's guard leads those whom it does not let in, if it does. */
export function toOutcome({ status, location }: Asked, redirectTo?: string): Outcome {
  if (status >= 500) throw new Error(`a fault: ${status}`);
  if (status === 401 || status === 403 || status === 404) return `${status}`;
  const isLed = status === 302 || status === 303;
  if (isLed && location?.startsWith('/login?next=')) return 'login';
  if (isLed && redirectTo !== undefined && location === redirectTo) return 'led';
  return 'in';
}

/** One word where own and foreign come out alike. */
export function cell(own: Outcome, foreign: Outcome): string {
  return own === foreign ? own : `${own}/${foreign}`;
}

/** The table as it is committed. */
export function formatMatrix(title: string[], principals: string[], rows: MatrixRow[]): string {
  const width = Math.max(...rows.map(({ route }) => route.length));
  const widths = principals.map((principal, at) =>
    Math.max(principal.length, ...rows.map(({ cells }) => cells[at]?.length ?? 0)),
  );
  const line = (name: string, cells: string[]) =>
    [name.padEnd(width), ...cells.map((text, at) => text.padEnd(widths[at] ?? 0))].join('  ').trimEnd();
  const sorted = [...rows].sort((a, b) => (a.route < b.route ? -1 : 1));
  return `${[...title.map((words) => `# ${words}`), '', line('', principals), ...sorted.map(({ route, cells }) => line(route, cells))].join('\n')}\n`;
}

/** The committed table; written anew when UPDATE_GUARD_MATRIX is set, to be read as a diff. */
export async function committedMatrix(file: URL, now: string): Promise<string> {
  if (process.env.UPDATE_GUARD_MATRIX !== undefined) await writeFile(file, now);
  return readFile(file, 'utf8');
}
