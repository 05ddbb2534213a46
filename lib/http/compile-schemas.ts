import { Ajv } from 'ajv';
import ajvFormats from 'ajv-formats';
import build from 'fast-json-stringify';

type Check = ReturnType<Ajv['compile']>;
type Write = ReturnType<typeof build>;

const OPTIONS = { useDefaults: true, removeAdditional: true, allErrors: false, strict: false } as const;
const strict = ajvFormats.default(new Ajv({ ...OPTIONS, coerceTypes: false }));
const coercing = ajvFormats.default(new Ajv({ ...OPTIONS, coerceTypes: true }));
const writers = new WeakMap<object, Write>();

/**
 * Text from an address is coerced to numbers and booleans; a body must already have the right types. A body that is
 * marked `x-streamed` is checked by whoever reads the stream; its schema is there to describe it. Compiled by its first
 * request: a server has some two hundred, and most of its start would go into those that nobody asks for soon.
 */
export function compileCheck({ schema, httpPart }: { schema: object; httpPart?: string }): (input: unknown) => boolean {
  if ('x-streamed' in schema) return () => true;
  const ajv = httpPart === 'body' ? strict : coercing;
  const check = (input: unknown): boolean => {
    // Kept by its schema.
    const compiled: Check = ajv.compile(schema);
    const isRight = compiled(input) as boolean;
    check.errors = compiled.errors;
    return isRight;
  };
  check.errors = undefined as Check['errors'];
  return check;
}

/** Writes an answer as JSON with what its schema names and nothing else; compiled by its first answer. */
export function compileWriter({ schema }: { schema: object }): Write {
  return (answer) => {
    const write = writers.get(schema) ?? build(schema);
    writers.set(schema, write);
    return write(answer);
  };
}
