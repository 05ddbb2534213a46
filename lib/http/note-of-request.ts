import type { FastifyRequest } from 'fastify';

/** A value that belongs to a request. */
export interface NoteOfRequest<Value> {
  of(request: FastifyRequest): Value | undefined;
  write(request: FastifyRequest, value: Value): void;
}

/**
 * Makes a kind of note. Notes are properties of the request that only this kind can read, and not entries of a WeakMap, in which
 * each garbage collection would search for requests that have ended.
 */
export function noteOfRequest<Value>(name: string): NoteOfRequest<Value> {
  const key = Symbol(name);
  return {
    of: (request) => (request as { [key]?: Value })[key],
    write(request, value) {
      (request as { [key]?: Value })[key] = value;
    },
  };
}
