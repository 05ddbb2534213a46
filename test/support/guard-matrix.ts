import { readFile, writeFile } from 'node:fs/promises';

/**
 * The result of a request: let `in`, not signed in (`401`), redirected to the sign-in page (`login`) or to the target of the
 * guard (`led`), rejected (`403`), or answered as if nothing existed (`404`).
 */
export type Outcome = 'in' | '401' | '403' | '404' | 'login' | 'led';

/** A row for one route: its name and, for each principal, the results for an own and a foreign object. */
export interface MatrixRow {
  route: string;
  cells: string[];
}

export interface Asked {
  status: number;
  location: string | null;
}

/** Sends a request without reading its body, because some bodies have no end. */
export async function ask(url: string, init: RequestInit): Promise<Asked> {
  const response = await fetch(url, { ...init, redirect: 'manual' });
  await response.body?.cancel();
  return { status: response.status, location: response.headers.get('location') };
}

/** @param redirectTo the address to which the route's guard redirects people without access, if it does. */
export function toOutcome({ status, location }: Asked, redirectTo?: string): Outcome {
  if (status >= 500) throw new Error(`a fault: ${status}`);
  if (status === 401 || status === 403 || status === 404) return `${status}`;
  const isLed = status === 302 || status === 303;
  if (isLed && location?.startsWith('/login?next=')) return 'login';
  if (isLed && redirectTo !== undefined && location === redirectTo) return 'led';
  return 'in';
}

/** One word if the results for own and foreign objects are equal. */
export function cell(own: Outcome, foreign: Outcome): string {
  return own === foreign ? own : `${own}/${foreign}`;
}

/** Formats the table for the committed file. */
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

/** Reads the committed table, after writing it if UPDATE_GUARD_MATRIX is set. */
export async function committedMatrix(file: URL, now: string): Promise<string> {
  if (process.env.UPDATE_GUARD_MATRIX !== undefined) await writeFile(file, now);
  return readFile(file, 'utf8');
}
