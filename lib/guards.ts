import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * Decides who may enter a route. Every route names one; the server does not start otherwise.
 * `actor(request)` is the only way to learn who is asking, and is typed by the guard that let them in.
 */
export interface Guard<Actor = unknown> {
  /** How the guard appears in routes.txt, arguments included. */
  readonly name: string;
  /** Runs before the body is read. Throws a domain error or answers by itself (a redirect) to refuse. */
  admit(request: FastifyRequest, reply: FastifyReply): Promise<void> | void;
  /** Runs once the body is there, for proofs that travel in it (a form's CSRF token). */
  admitBody?(request: FastifyRequest): void;
  actor(request: FastifyRequest): Actor;
}

const ACTOR = Symbol('actor');

/** Makes a guard from a function that returns the actor, throws, or answers and returns nothing. */
export function defineGuard<Actor>(
  name: string,
  identify: (request: FastifyRequest, reply: FastifyReply) => Promise<Actor | undefined> | Actor | undefined,
  admitBody?: (request: FastifyRequest, actor: Actor) => void,
): Guard<Actor> {
  const actors = new WeakMap<FastifyRequest, { [ACTOR]: Actor }>();
  const actor = (request: FastifyRequest): Actor => {
    const held = actors.get(request);
    if (held === undefined) throw new Error(`guard ${name} did not let this request in`);
    return held[ACTOR];
  };
  return {
    name,
    actor,
    async admit(request, reply) {
      const found = await identify(request, reply);
      if (found !== undefined) actors.set(request, { [ACTOR]: found });
    },
    ...(admitBody === undefined ? {} : { admitBody: (request: FastifyRequest) => admitBody(request, actor(request)) }),
  };
}

/** Open to everyone, with the reason why. */
export function publicRoute(why: string): Guard<null> {
  return { name: `publicRoute(${why})`, admit() {}, actor: () => null };
}
