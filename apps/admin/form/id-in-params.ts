import type { FastifyRequest } from 'fastify';

/** The id that stands in the address under this name, for guards, which run before the address is checked; else null. */
export function idInParams(request: FastifyRequest, name: string): number | null {
  const text = (request.params as Record<string, string | undefined>)[name] ?? '';
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null;
}
