import type { FastifyRequest } from 'fastify';
import { ForbiddenError } from './errors.ts';
import { noteOfRequest } from './http/note-of-request.ts';

/** The only answer with which a guard lets someone in. Any other answer, or none, keeps them out (GUARD-1). */
export const ADMITTED = Symbol('admitted');

/** Where a guard redirects someone instead of letting them in. */
export class Redirect {
  readonly path: string;
  readonly status: 302 | 303;
  constructor(path: string, status: 302 | 303) {
    this.path = path;
    this.status = status;
  }
}

/**
 * Decides who may enter a route. A server with a route without a guard does not start (GUARD-1).
 * `actor(request)` is the only way to learn who is calling, typed by the guard that let them in.
 */
export interface Guard<Actor = unknown> {
  /** The guard's name in routes.txt, including its arguments. */
  readonly name: string;
  /** True if everyone may enter. Such a route reads only short bodies unless it sets its own limit. */
  readonly isOpen?: true;
  /** Runs before the body is read. Throws a domain error to reject the request. It sends no answer itself; the server does. */
  admit(request: FastifyRequest): Promise<typeof ADMITTED | Redirect> | typeof ADMITTED | Redirect;
  /** Runs after the body is read, for proofs in the body (a form's CSRF token). */
  admitBody?(request: FastifyRequest): void | Promise<void>;
  /**
   * Ends a check that `admit` began, so that a route that only reads can read meanwhile. Throws to reject the request, whose
   * answer or error is then dropped.
   */
  confirm?(request: FastifyRequest): Promise<void>;
  actor(request: FastifyRequest): Actor;
}

/** The person that a guard let in, which no other guard can read. */
const admitted = noteOfRequest<{ by: object; actor: unknown }>('who was let in');

/**
 * Makes a guard from a function that returns the actor or where to redirect to, or throws. If it returns nothing, the request is
 * rejected with 403.
 */
export function defineGuard<Actor extends object | true>(
  name: string,
  identify: (request: FastifyRequest) => Promise<Actor | Redirect> | Actor | Redirect,
  admitBody?: (request: FastifyRequest, actor: Actor) => void | Promise<void>,
): Guard<Actor> {
  const by = {};
  const actor = (request: FastifyRequest): Actor => {
    const entry = admitted.of(request);
    if (entry?.by !== by) throw new Error(`guard ${name} did not let this request in`);
    return entry.actor as Actor;
  };
  return {
    name,
    actor,
    async admit(request) {
      const identity = await identify(request);
      if (identity instanceof Redirect) return identity;
      if (!isActor(identity)) throw new ForbiddenError();
      admitted.write(request, { by, actor: identity });
      return ADMITTED;
    },
    ...(admitBody === undefined ? {} : { admitBody: (request: FastifyRequest) => admitBody(request, actor(request)) }),
  };
}

/** The types require this already; checking again keeps out values that were cast. */
function isActor(identity: unknown): boolean {
  return identity === true || (typeof identity === 'object' && identity !== null);
}

/** Lets everyone in; routes.txt shows the reason. */
export function publicRoute(why: string): Guard<null> {
  return { name: `publicRoute(${why})`, isOpen: true, admit: () => ADMITTED, actor: () => null };
}
