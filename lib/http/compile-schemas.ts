import { Ajv } from 'ajv';
import ajvFormats from 'ajv-formats';
import build from 'fast-json-stringify';

type Check = ReturnType<Ajv['compile']>;
type Write = ReturnType<typeof build>;

const OPTIONS = { useDefaults: true, removeAdditional: true, allErrors: false, strict: false } as const;
const ajv = ajvFormats.default(new Ajv({ ...OPTIONS, coerceTypes: false }));
const writers = new WeakMap<object, Write>();

/**
 * Validates one part of a request. What the schema does not name is removed first, so that no value reaches a command that its
 * route does not declare. Text from an address is converted to numbers and booleans; a body must already have the right types.
 * A body that is marked `x-streamed` is validated by the code that reads the stream, and its schema only describes it. A schema
 * is compiled by its first request: a server has about two hundred, and most of them are not needed soon.
 */
export function compileCheck({ schema, httpPart }: { schema: object; httpPart?: string }): (input: unknown) => boolean {
  if ('x-streamed' in schema) return () => true;
  const texts = httpPart === 'body' ? [] : describeTexts(schema);
  const check = (input: unknown): boolean => {
    // Headers are read by many others.
    if (httpPart !== 'headers') removeUndeclared(schema, input);
    readTexts(texts, input as Record<string, unknown>);
    // Ajv caches the result by schema.
    const compiled: Check = ajv.compile(schema);
    const isRight = compiled(input) as boolean;
    check.errors = compiled.errors;
    return isRight;
  };
  check.errors = undefined as Check['errors'];
  return check;
}

interface Described {
  type?: string | readonly string[];
  anyOf?: readonly Described[];
  allOf?: readonly Described[];
  properties?: Record<string, Described>;
  items?: Described;
}

/**
 * Removes the fields of objects, at any depth, that no alternative of the schema names. Those that begin with an underscore stay:
 * they are read by guards, such as `_csrf`, and no command has any.
 */
function removeUndeclared(schema: Described, input: unknown): void {
  if (Array.isArray(input)) {
    const anyOf = alternativesOf(schema).flatMap(({ items }) => items ?? []);
    for (const one of input) removeUndeclared({ anyOf }, one);
  } else if (typeof input === 'object' && input !== null) {
    const declared = alternativesOf(schema).filter(({ type }) => type === undefined || type === 'object');
    // A schema without properties, such as that of a record, takes any field.
    if (declared.length === 0 || declared.some(({ properties }) => properties === undefined)) return;
    for (const [name, value] of Object.entries(input)) {
      const anyOf = declared.flatMap(({ properties = {} }) => (Object.hasOwn(properties, name) ? [properties[name] ?? {}] : []));
      if (anyOf.length === 0 && !name.startsWith('_')) delete (input as Record<string, unknown>)[name];
      else removeUndeclared({ anyOf }, value);
    }
  }
}

/** The schema itself, or those of a union or an intersection. */
function alternativesOf(schema: Described): readonly Described[] {
  return (schema.anyOf ?? schema.allOf)?.flatMap(alternativesOf) ?? [schema];
}

/**
 * An integer has only one spelling, so that two addresses never mean the same id (API-3): no `0x1`, `1e0`, `+1`, `01`, `1.0` or `
 * 1`.
 */
const INTEGER = /^(0|-?[1-9][0-9]{0,15})$/;

/** A parameter that is not a text. */
interface Converted {
  name: string;
  isInteger: boolean;
  isBoolean: boolean;
}

function describeTexts({ properties = {} }: Described): Converted[] {
  return Object.entries(properties)
    .map(([name, property]) => ({ name, types: typesOf(property) }))
    .map(({ name, types }) => ({ name, isInteger: types.includes('integer'), isBoolean: types.includes('boolean') }))
    .filter(({ isInteger, isBoolean }) => isInteger || isBoolean);
}

/** Converts the text of each parameter to the number or boolean of its schema. Other text is left for validation to reject. */
function readTexts(parameters: readonly Converted[], input: Record<string, unknown>): void {
  for (const { name, isInteger, isBoolean } of parameters) {
    const text = input[name];
    if (typeof text !== 'string') continue;
    if (isInteger && INTEGER.test(text)) input[name] = Number(text);
    else if (isBoolean && (text === 'true' || text === 'false')) input[name] = text === 'true';
  }
}

function typesOf({ type = [], anyOf = [] }: Described): string[] {
  return [type, ...anyOf.map(typesOf)].flat() as string[];
}

/** Writes an answer as JSON, with only what its schema names; compiled by its first answer. */
export function compileWriter({ schema }: { schema: object }): Write {
  return (answer) => {
    const write = writers.get(schema) ?? build(withNullable(schema) as object);
    writers.set(schema, write);
    return write(answer);
  };
}

/**
 * Replaces "this or null" by a nullable schema. For a union, the writer compiles a check of each alternative, which for a list of
 * requests takes 17 MiB and half a second, and runs it on every value.
 */
function withNullable(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withNullable);
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, withNullable(value)]));
  const { anyOf, ...rest } = copy as { anyOf?: Described[] };
  const [alternative, empty, ...others] = anyOf ?? [];
  if (empty?.type !== 'null' || others.length > 0) return copy;
  return { ...alternative, ...rest, nullable: true };
}
