import { FORWARDED_PATHS } from './forwarded-paths.ts';

/** A path of the API that a browser may call: as it is sent on, and by which methods. */
export interface ApiPath {
  path: string;
  /** As the description of the API writes it. */
  pattern: string;
  methods: readonly string[];
}

interface Template {
  pattern: string;
  parts: readonly string[];
  methods: readonly string[];
}

/** What a `{parameter}` may hold: plain identifiers, which every reader understands the same way. */
const PARAMETER = /^[\w-]{1,100}$/;

const templates: readonly Template[] = Object.entries(FORWARDED_PATHS).map(([path, methods]) => ({
  pattern: path,
  parts: path.slice(1).split('/'),
  methods,
}));

/**
 * Finds a path in the list of what is passed on. It is compared as the API will read it, decoded once, and sent on in that
 * form: whatever else an encoding may hide (a slash, dots, another encoding) is in no list.
 * @param raw the path of the request as it came, without its query
 * @returns null where nothing may be passed on
 */
export function findApiPath(raw: string): ApiPath | null {
  const parts = raw.startsWith('/') ? raw.slice(1).split('/').map(decoded) : [];
  const [found] = templates.filter((template) => isOf(template, parts)).sort(byNames);
  return found === undefined ? null : { path: `/${parts.join('/')}`, pattern: found.pattern, methods: found.methods };
}

/** A name goes before what stands for any: `recipients` is no identifier of a chain, whatever it is asked by. */
function byNames(one: Template, other: Template): number {
  const parameters = ({ parts }: Template) => parts.filter((part) => part.startsWith('{')).length;
  return parameters(one) - parameters(other);
}

function isOf(template: Template, parts: readonly (string | null)[]): boolean {
  return (
    template.parts.length === parts.length &&
    template.parts.every((part, at) => (part.startsWith('{') ? PARAMETER.test(parts[at] ?? '') : part === parts[at]))
  );
}

function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}
