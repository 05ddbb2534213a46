import { basename } from 'node:path';
import { getCallSites } from 'node:util';

/**
 * The most statements prepared on a connection. Texts that come after these run unprepared, so that they do not fill its memory.
 */
const PREPARED_MAX = 500;
/** PostgreSQL cuts off longer names; some room is left for a number. */
const NAME_MAX = 56;

/** The name that a statement is prepared under, and its text with that name in it. */
export interface NamedText {
  name?: string;
  text: string;
}

const statements = new Map<string, NamedText>();
const shapes = new Map<string, number>();

/**
 * Names a statement after the first function in this process that runs it: `send-message.listMembers`, or only the file if both
 * have the same name. Further texts of the same function are numbered. The name is looked up once for each text, so it costs
 * statements nothing.
 */
export function nameStatement(text: string): NamedText {
  const entry = statements.get(text);
  if (entry !== undefined) return entry;
  if (statements.size >= PREPARED_MAX) return { text };
  // The call sites are this function, `query`, and its caller.
  const place = nameOf(getCallSites(3)[2]);
  const shape = (shapes.get(place) ?? 0) + 1;
  shapes.set(place, shape);
  const name = shape === 1 ? place : `${place}.${shape}`;
  // After the first word, because since version 18 pg_stat_statements omits what comes before it.
  const statement = { name, text: text.replace(/^[\s(]*\w+/, `$& /* ${name} */`) };
  statements.set(text, statement);
  return statement;
}

function nameOf(place: ReturnType<typeof getCallSites>[number] | undefined): string {
  const file = basename(place?.scriptName ?? 'statement').replace(/\.\w+$/, '');
  const called = place?.functionName.replaceAll(/\W/g, '') ?? '';
  const isSame = called === '' || called.toLowerCase() === file.replaceAll('-', '').toLowerCase();
  return (isSame ? file : `${file}.${called}`).slice(0, NAME_MAX);
}
