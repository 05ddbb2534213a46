import type pg from 'pg';
import { statementsOf } from './statements.ts';

/** An operation on a table's rows: `r` read, `a` add, `c` change, `d` delete, `l` lock without changing. */
export type Verb = 'r' | 'a' | 'c' | 'd' | 'l';

/** The operations on each table, each with a place in the code that performs it. */
export type NeededAccess = Map<string, Map<Verb, string>>;

/** The parts of a database that decide which rights a statement needs. */
export interface Schema {
  tables: readonly string[];
  /** The texts of functions that run with the rights of their caller. */
  functions: Map<string, string>;
  triggers: readonly { table: string; verb: Verb; calls: string }[];
}

export async function readSchema(owner: Pick<pg.Pool, 'query'>): Promise<Schema> {
  const tables = await owner.query(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') order by 1`,
  );
  const functions = await owner.query(
    `select proname as name, regexp_replace(pg_get_functiondef(oid), '^.*?\\mRETURNS\\M', '') as text from pg_proc
      where pronamespace = 'public'::regnamespace and prokind = 'f' and not prosecdef`,
  );
  const triggers = await owner.query(
    `select tgrelid::regclass::text as table, verb, tgfoid::regproc::text as calls
       from pg_trigger, (values ('a', 4), ('d', 8), ('c', 16)) event (verb, bit)
      where not tgisinternal and tgtype & bit > 0`,
  );
  return {
    tables: tables.rows.map(({ name }) => name),
    functions: new Map(functions.rows.map(({ name, text }) => [name, text])),
    triggers: triggers.rows,
  };
}

/** Finds what an application's code does with each table, in its statements, in functions that they call, and in triggers. */
export function accessNeededBy(application: string, schema: Schema): NeededAccess {
  const needed: NeededAccess = new Map();
  const note = (place: string, texts: readonly string[]) => {
    const names = namesOfTables(texts, schema);
    for (const text of texts) {
      for (const [table, verb] of doneBy(text, names)) add(place, table, verb);
      for (const [name, body] of schema.functions) if (text.includes(`${name}(`)) note(`${place} > ${name}`, [body]);
    }
  };
  const add = (place: string, table: string, verb: Verb) => {
    const verbs = needed.get(table) ?? new Map<Verb, string>();
    needed.set(table, verbs);
    if (verbs.has(verb)) return;
    verbs.set(verb, place);
    for (const trigger of schema.triggers) {
      const body = schema.functions.get(trigger.calls);
      if (trigger.table === table && trigger.verb === verb && body !== undefined) note(`${place} > ${trigger.calls}`, [body]);
    }
  };
  for (const { place, texts } of statementsOf(application)) note(place, texts);
  return needed;
}

/** The tables that are named in statements which belong together, by their other names too. */
function namesOfTables(texts: readonly string[], { tables }: Schema): Map<string, string> {
  const names = new Map(tables.map((table) => [table, table]));
  for (const text of texts)
    for (const [, table = '', other = ''] of text.matchAll(/\b(?:from|join|into|update)\s+(\w+)(?:\s+as)?\s+(\w+)/g))
      if (tables.includes(table) && !names.has(other)) names.set(other, table);
  return names;
}

function doneBy(text: string, names: Map<string, string>): [table: string, verb: Verb][] {
  const access: [string, Verb][] = [];
  const note = (name: string, ...verbs: Verb[]) => {
    const table = names.get(name);
    if (table !== undefined) access.push(...verbs.map((verb): [string, Verb] => [table, verb]));
  };
  // Whole, it is the name of a table that is put in elsewhere.
  note(text.trim(), 'r');
  for (const [, name = ''] of text.matchAll(/(?:\b(?:from|join|using)|,)\s+(?:public\.)?(\w+)\b(?!\s*[(.])/g)) note(name, 'r');
  for (const [, name = '', rest = ''] of text.matchAll(/\binsert into (?:public\.)?(\w+)(?=([^;]*))/g)) {
    note(name, 'a');
    if (/\breturning\b|\bon conflict \(/.test(rest)) note(name, 'r');
    if (/\bdo update\b/.test(rest)) note(name, 'c');
  }
  for (const [, name = ''] of text.matchAll(/(?<!\b(?:for|key|do) )\bupdate (\w+)/g)) note(name, 'r', 'c');
  for (const [, name = ''] of text.matchAll(/\bdelete from (\w+)/g)) note(name, 'r', 'd');
  for (const [, of] of text.matchAll(/\bfor (?:no key update|update|key share|share)\b(?: of (\w+))?/g))
    note(of ?? /\bfrom (\w+)/.exec(text)?.[1] ?? '', 'l');
  return access;
}
