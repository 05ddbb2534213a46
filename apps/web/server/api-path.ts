import { FORWARDED_PATHS } from './forwarded-paths.ts';

/** A path of the API that browsers may call, as it is forwarded. */
export interface ApiPath {
  path: string;
  /** The path as the API's description has it, with its parameters. */
  pattern: string;
  methods: readonly string[];
}

interface Template {
  pattern: string;
  parts: readonly string[];
  methods: readonly string[];
}

/** A `{parameter}` takes plain identifiers only, which every server reads the same way. */
const PARAMETER = /^[\w-]{1,100}$/;

/** By their number of parts. Literal ones come first, so that `recipients` is never read as the id of a chain. */
const templates = Map.groupBy(Object.entries(FORWARDED_PATHS).map(readTemplate).sort(byParameters), ({ parts }) => parts.length);

/**
 * Finds a path in the list of forwarded ones (WEB-4). The path is decoded once, as the API will read it, and is compared and
 * forwarded in that form. A slash, dots, or a second encoding hidden in an encoding therefore match no entry.
 * @param raw the path of the request as it came, without its query.
 * @returns null if the path must not be forwarded.
 */
export function findApiPath(raw: string): ApiPath | null {
  const parts = raw.startsWith('/') ? raw.slice(1).split('/').map(decoded) : [];
  const template = templates.get(parts.length)?.find((one) => isOf(one, parts));
  return template === undefined ? null : { path: `/${parts.join('/')}`, pattern: template.pattern, methods: template.methods };
}

function readTemplate([pattern, methods]: [string, readonly string[]]): Template {
  return { pattern, parts: pattern.slice(1).split('/'), methods };
}

function byParameters(one: Template, other: Template): number {
  const parameters = ({ parts }: Template) => parts.filter((part) => part.startsWith('{')).length;
  return parameters(one) - parameters(other);
}

function isOf(template: Template, parts: readonly (string | null)[]): boolean {
  return template.parts.every((part, at) => (part.startsWith('{') ? PARAMETER.test(parts[at] ?? '') : part === parts[at]));
}

function decoded(part: string): string | null {
  // Decoding takes much longer than this, and almost no path needs it.
  if (!part.includes('%')) return part;
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}
