import { basename } from 'node:path';
import { getCallSites } from 'node:util';

/** Statements kept prepared on a connection; a shape that comes after these runs unprepared rather than filling memory. */
const PREPARED_MAX = 500;
/** PostgreSQL cuts longer names off; some of it is left for a number. */
const NAME_MAX = 56;

/** What a statement is prepared under, and its text with that name in it. */
export interface NamedText {
  name?: string;
  text: string;
}

const named = new Map<string, NamedText>();
const shapes = new Map<string, number>();

/**
 * Names a statement after the function that is the first in this process to run it: `send-message.listMembers`, or the file
 * alone where both have the same name. Each further text of one function has a number. It is looked up once a text, so that
 * it costs neither those who write statements nor those who wait for them anything.
 */
export function nameStatement(text: string): NamedText {
  const known = named.get(text);
  if (known !== undefined) return known;
  if (named.size >= PREPARED_MAX) return { text };
  // This function, `query`, and who called that.
  const place = nameOf(getCallSites(3)[2]);
  const shape = (shapes.get(place) ?? 0) + 1;
  shapes.set(place, shape);
  const name = shape === 1 ? place : `${place}.${shape}`;
  // After the first word: since version 18 pg_stat_statements leaves out what stands before it.
  const made = { name, text: text.replace(/^[\s(]*\w+/, `$& /* ${name} */`) };
  named.set(text, made);
  return made;
}

function nameOf(place: ReturnType<typeof getCallSites>[number] | undefined): string {
  const file = basename(place?.scriptName ?? 'statement').replace(/\.\w+$/, '');
  const called = place?.functionName.replaceAll(/\W/g, '') ?? '';
  const isSame = called === '' || called.toLowerCase() === file.replaceAll('-', '').toLowerCase();
  return (isSame ? file : `${file}.${called}`).slice(0, NAME_MAX);
}
