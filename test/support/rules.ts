import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** One rule of `docs/rules`. */
export interface Rule {
  id: string;
  /** True for a rule that is agreed on and not built yet, so it needs no test. */
  isPlanned: boolean;
}

const FOLDER = fileURLToPath(new URL('../../docs/rules/', import.meta.url));
const RULE = /^- `([A-Z]+(?:-[A-Z]+)*-[1-9]\d*)`( \(planned\))? /gm;

/** Lists every rule in the order of its page. A duplicate id appears twice. */
export function listRules(): Rule[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.md'))
    .sort()
    .flatMap((file) => [...readFileSync(`${FOLDER}${file}`, 'utf8').matchAll(RULE)])
    .map(([, id = '', planned]) => ({ id, isPlanned: planned !== undefined }));
}

/** Lists the rule ids in a text. Only the prefixes of existing rules count, so `SHA-256` and `UTF-8` are not included. */
export function listCitations(text: string, rules: Rule[]): string[] {
  const groups = new Set(rules.map(({ id }) => groupOf(id)));
  return [...text.matchAll(/(?<![\w-])[A-Z]+(?:-[A-Z]+)*-\d+(?![\w-])/g)]
    .map(([id]) => id)
    .filter((id) => groups.has(groupOf(id)));
}

/** `SIGN-IN` for `SIGN-IN-4`. */
function groupOf(id: string): string {
  return id.replace(/-\d+$/, '');
}

/** Lists the parts in brackets at the start of a title, each with one or more rule ids. */
export function listBrackets(title: string): string[] {
  const beginning = /^(\[[^\]]*\]\s*)*/.exec(title)?.[0] ?? '';
  return [...beginning.matchAll(/\[([^\]]*)\]/g)].map(([, words]) => words ?? '');
}
