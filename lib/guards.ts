import type { FastifyRequest } from 'fastify';
import { ForbiddenError } from './errors.ts';

/** What a guard says of somebody whom it lets in. Whatever else it says, or forgets to say, nobody gets in. */
export const ADMITTED = Symbol('admitted');

/** Where a guard leads somebody instead of letting them in. */
export class LedElsewhere {
  readonly path: string;
  readonly status: 302 | 303;
  constructor(path: string, status: 302 | 303) {
    this.path = path;
    this.status = status;
  }
}

/**
 * Decides who may enter a route. Every route names one; the server does not start otherwise.
 * `actor(request)` is the only way to learn who is asking, and is typed by the guard that let them in.
 */
export interface Guard<Actor = unknown> {
  /** How the guard appears in routes.txt, arguments included. */
  readonly name: string;
  /** Whether it lets everyone in. Such a route reads only short bodies unless it sets its own limit. */
  readonly isOpen?: true;
  /** Runs before the body is read. Throws a domain error to refuse. It answers nothing by itself: the server does. */
  admit(request: FastifyRequest): Promise<typeof ADMITTED | LedElsewhere> | typeof ADMITTED | LedElsewhere;
  /** Runs once the body is there, for proofs that travel in it (a form's CSRF token). */
  admitBody?(request: FastifyRequest): void | Promise<void>;
  actor(request: FastifyRequest): Actor;
}

const ACTOR = Symbol('actor');

/**
 * Makes a guard from a function that finds the actor, says where else to go, or throws. One that forgets to say anything
 * has let nobody in: 403.
 */
export function defineGuard<Actor extends object | true>(
  name: string,
  identify: (request: FastifyRequest) => Promise<Actor | LedElsewhere> | Actor | LedElsewhere,
  admitBody?: (request: FastifyRequest, actor: Actor) => void | Promise<void>,
): Guard<Actor> {
  const actors = new WeakMap<FastifyRequest, { [ACTOR]: Actor }>();
  const actor = (request: FastifyRequest): Actor => {
    const found = actors.get(request);
    if (found === undefined) throw new Error(`guard ${name} did not let this request in`);
    return found[ACTOR];
  };
  return {
    name,
    actor,
    async admit(request) {
      const found = await identify(request);
      if (found instanceof LedElsewhere) return found;
      if (!isActor(found)) throw new ForbiddenError();
      actors.set(request, { [ACTOR]: found });
      return ADMITTED;
    },
    ...(admitBody === undefined ? {} : { admitBody: (request: FastifyRequest) => admitBody(request, actor(request)) }),
  };
}

/** The types say so already; nobody gets in by a cast, either. */
function isActor(found: unknown): boolean {
  return found === true || (typeof found === 'object' && found !== null);
}

/** Open to everyone, with the reason why. */
export function publicRoute(why: string): Guard<null> {
  return { name: `publicRoute(${why})`, isOpen: true, admit: () => ADMITTED, actor: () => null };
}
