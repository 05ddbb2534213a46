import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { getCallSites } from 'node:util';

/**
 * The most statements prepared on a connection. Texts that come after these run unprepared, so that they do not fill its memory.
 */
const PREPARED_MAX = 500;
/** PostgreSQL cuts off names after 63 bytes; some room is left for the mark of the text. */
const PLACE_MAX = 50;
const MARK_LENGTH = 12;

/** The name that a statement is prepared under, and its text with the first part of that name in it. */
export interface NamedText {
  name?: string | undefined;
  text: string;
}

const statements = new Map<string, NamedText>();

/**
 * Names a statement after the first function in this process that runs it: `send-message.listMembers`, or only the file if both
 * have the same name. The name ends with a mark of the text, so a name means the same statement in every process: a pooler that
 * suddenly stops tracking names can then fail a statement, but never run another one. The name is looked up once for each text,
 * so it costs statements nothing.
 */
export function nameStatement(text: string): NamedText {
  const entry = statements.get(text);
  if (entry !== undefined) return entry;
  if (statements.size >= PREPARED_MAX) return { text };
  // The call sites are this function, `query`, and its caller.
  const place = nameOf(getCallSites(3)[2]);
  const mark = createHash('sha256').update(text).digest('hex').slice(0, MARK_LENGTH);
  // After the first word, because since version 18 pg_stat_statements omits what comes before it.
  const statement = { name: `${place}.${mark}`, text: text.replace(/^[\s(]*\w+/, `$& /* ${place} */`) };
  statements.set(text, statement);
  return statement;
}

function nameOf(place: ReturnType<typeof getCallSites>[number] | undefined): string {
  const file = basename(place?.scriptName ?? 'statement').replace(/\.\w+$/, '');
  const called = place?.functionName.replaceAll(/\W/g, '') ?? '';
  const isSame = called === '' || called.toLowerCase() === file.replaceAll('-', '').toLowerCase();
  return (isSame ? file : `${file}.${called}`).slice(0, PLACE_MAX);
}
