/** What the version before would run into, in words. */
interface Finding {
  what: string;
  /** Whether something was taken away: only what the version before had stopped using already may go. */
  isContract: boolean;
}

interface Table {
  columns: Map<string, Column>;
  /** Constraints, indexes and triggers by name, as PostgreSQL writes them. */
  parts: Map<string, string>;
}

interface Column {
  type: string;
  isRequired: boolean;
  /** Whether a row that does not mention it gets a value by itself. */
  isFilled: boolean;
  isGenerated: boolean;
}

/**
 * What of a schema (as `dumpSchema` writes it) a version cannot live with that was made for the one before: it runs beside the new
 * one while processes are exchanged, and again after going back. New tables and columns that fill themselves are fine, and so
 * are checks that let more through; what is gone, renamed, narrowed or must be given is not.
 */
export function compareSchemas(before: string, after: string): Finding[] {
  const [old, now] = [readSchema(before), readSchema(after)];
  const findings: Finding[] = [];
  for (const [name, table] of old.tables) {
    const next = now.tables.get(name);
    if (next === undefined) findings.push({ what: `table ${name} is gone`, isContract: true });
    else findings.push(...compareColumns(name, table, next), ...compareParts(name, table, next));
  }
  for (const [name, signature] of old.functions) {
    const next = now.functions.get(name);
    if (next === undefined) findings.push({ what: `function ${name} is gone`, isContract: true });
    else if (next !== signature) findings.push({ what: `function ${name} is called in another way`, isContract: true });
  }
  return findings;
}

function compareColumns(table: string, old: Table, now: Table): Finding[] {
  const findings: Finding[] = [];
  const find = (what: string, isContract: boolean) => findings.push({ what, isContract });
  for (const [name, column] of old.columns) {
    const next = now.columns.get(name);
    const own = `column ${table}.${name}`;
    if (next === undefined) {
      find(`${own} is gone`, true);
      continue;
    }
    if (next.type !== column.type) find(`${own} has another type`, true);
    if (next.isGenerated && !column.isGenerated) find(`${own} cannot be written any more`, true);
    if (next.isRequired && !column.isRequired) find(`${own} must not be null any more`, false);
    else if (next.isRequired && column.isFilled && !next.isFilled) find(`${own} has no default any more`, false);
  }
  for (const [name, { isRequired, isFilled }] of now.columns) {
    if (!old.columns.has(name) && isRequired && !isFilled)
      find(`column ${table}.${name} is new and must be given`, false);
  }
  return findings;
}

function compareParts(table: string, old: Table, now: Table): Finding[] {
  const findings: Finding[] = [];
  const had = new Set(old.parts.values());
  const has = new Set(now.parts.values());
  for (const [name, text] of old.parts) {
    // `on conflict` needs one to stand on; any other index that is gone only makes something slow.
    if (isUnique(text) && !has.has(text)) findings.push({ what: `${name} of ${table} is gone`, isContract: true });
  }
  for (const [name, text] of now.parts) {
    if (had.has(text) || !mayRefuse(text) || letsMoreThrough(old.parts.get(name), text)) continue;
    const touched = isTrigger(text) || [...old.columns.keys()].some((column) => mentions(text, column));
    if (touched) findings.push({ what: `${name} of ${table} is new or has changed`, isContract: false });
  }
  return findings;
}

const isUnique = (text: string) => /^(UNIQUE|PRIMARY KEY|EXCLUDE|CREATE UNIQUE INDEX)/.test(text);
const isTrigger = (text: string) => /^CREATE (CONSTRAINT )?TRIGGER/.test(text);
const mayRefuse = (text: string) => isUnique(text) || isTrigger(text) || /^(CHECK|FOREIGN KEY)/.test(text);

/** Whether it speaks of a column of its own table: what a foreign key leads to has others, under the same names. */
function mentions(text: string, column: string): boolean {
  const own = text.replace(/ REFERENCES .*/s, '').replace(/^CREATE UNIQUE INDEX \w+ ON [\w.]+/, '');
  return new RegExp(`\\b${column}\\b`).test(own);
}

/** A list of values that has grown. */
function letsMoreThrough(before: string | undefined, after: string): boolean {
  const values = /ARRAY\[([^\]]*)\]/g;
  const listsOf = (text: string) => [...text.matchAll(values)].map(([, list = '']) => list.split(', '));
  if (before === undefined || !/^CHECK/.test(after)) return false;
  if (before.replaceAll(values, '') !== after.replaceAll(values, '') || /<> ALL/.test(after)) return false;
  const grown = listsOf(after);
  return listsOf(before).every((list, at) => list.every((value) => grown[at]?.includes(value)));
}

function readSchema(text: string): { tables: Map<string, Table>; functions: Map<string, string> } {
  const tables = new Map<string, Table>();
  const functions = new Map<string, string>();
  for (const section of text.split(/^(?=-- (?:function )?\w+$)/m)) {
    const [, kind, name = ''] = /^-- (function )?(\w+)\n/.exec(section) ?? [];
    if (name === '') continue;
    const body = section.slice(section.indexOf('\n') + 1).trim();
    if (kind === undefined) tables.set(name, readTable(body));
    else functions.set(name, body.split(/\n LANGUAGE/)[0] ?? '');
  }
  return { tables, functions };
}

function readTable(body: string): Table {
  const table: Table = { columns: new Map(), parts: new Map() };
  // Some definitions take several lines; those that follow are indented, or close a bracket.
  for (const item of body.split(/\n(?=constraint |CREATE |[a-z])/)) {
    const [, kind = '', name = '', rest = ''] =
      /^(constraint )(\w+) (.*)/s.exec(item) ??
      /^(CREATE .*?(?:INDEX|TRIGGER) )(\w+)/s.exec(item) ??
      /^()(\w+) (.*)/s.exec(item) ??
      [];
    if (kind === '') table.columns.set(name, readColumn(rest));
    else table.parts.set(name, kind === 'constraint ' ? rest : item);
  }
  return table;
}

function readColumn(text: string): Column {
  const [type = ''] = text.split(/ (?:not null|default|generated)\b/);
  return {
    type,
    isRequired: / not null\b/.test(text),
    isFilled: / (default|generated)\b/.test(text),
    isGenerated: / generated always\b/.test(text),
  };
}
