import { ForbiddenError, UnauthenticatedError } from '@case-platform/lib/errors';
import { defineGuard, type Guard, LedElsewhere } from '@case-platform/lib/guards';
import type { UserType } from '@case-platform/modules/accounts';
import { canAccessCase } from '@case-platform/modules/cases';
import type { PermissionCategory } from '@case-platform/modules/permissions';
import type { FastifyRequest } from 'fastify';
import type { AdminContext } from '../context.ts';
import { decide, isAuthorized } from './decide.ts';
import { factsOf, findGrounds, type Requirements } from './grounds.ts';
import { changesState, checkCsrfToken, refuseForeignPage } from './own-requests.ts';
import { signInPath } from './safe-next.ts';
import type { Actor, StaffActor, Visitors } from './visitors.ts';

/** The name of a parameter of the address, or a function that finds the case of a request. */
type CaseOf = string | ((request: FastifyRequest) => number | null | Promise<number | null>);

/** The specification's parameters of a route guard that both guards have. */
interface ApiGuardOptions<Types extends readonly UserType[]> extends Pick<Requirements, 'perm_check'> {
  user_types: Types;
  case_id?: CaseOf;
}

interface PageGuardOptions<Types extends readonly UserType[]> extends ApiGuardOptions<Types> {
  category_check?: PermissionCategory;
  /** Where someone who is signed in and not allowed is led instead of a 403. */
  redirect_to?: string;
}

/** What a guard was declared with. */
export interface GuardRule {
  guard: 'page' | 'api';
  options: PageGuardOptions<readonly UserType[]>;
}

/** Where admins alone are let in, the admin context is sure to be there. */
type ActorOf<Types extends readonly UserType[]> = Types[number] extends 'admin' ? StaffActor : Actor;

/** A page guard also says whether its own check holds: a page stays readable by any admin, its contents need not. */
export interface PageGuard<Actor> extends Guard<Actor> {
  /**
   * Whether the authorization check of the guard holds for a request that it has let in (A of the formulas). What a page
   * shows only then is hidden by this and by no check of its own (specification, 'Server-rendered application' 9).
   */
  holds(request: FastifyRequest): boolean;
}

export type Guards = ReturnType<typeof createGuards>;

/** The guards of the server-rendered application (specification, 'Server-rendered application' 3 to 6). */
export function createGuards({ db, config }: AdminContext, visitors: Visitors) {
  const strict = config.strictPageGuard;
  const rules = new Map<string, GuardRule>();
  const authorized = new WeakSet<FastifyRequest>();

  async function verdictFor(request: FastifyRequest, actor: Actor | null, { guard, options }: GuardRule) {
    const { case_id } = options;
    const caseAccess = case_id === undefined ? null : await seesCase(request, actor, case_id);
    const facts = factsOf(findGrounds(actor, options, caseAccess));
    if (isAuthorized(facts)) authorized.add(request);
    return decide(guard, facts, { strict });
  }

  async function seesCase(request: FastifyRequest, actor: Actor | null, find: CaseOf): Promise<boolean> {
    const id = typeof find === 'string' ? caseParameter(request, find) : await find(request);
    return id !== null && actor !== null && canAccessCase(db, actor.user, id);
  }

  function declare(rule: GuardRule): string {
    const name = describe(`${rule.guard}Guard`, rule.options);
    rules.set(name, rule);
    return name;
  }

  /** Leads the anonymous to the sign-in page; answers 403, or leads to `redirect_to`, when the page guard fails. */
  function pageGuard<const Types extends readonly UserType[]>(
    options: PageGuardOptions<Types>,
  ): PageGuard<ActorOf<Types>> {
    const rule: GuardRule = { guard: 'page', options };
    const guard: Guard<ActorOf<Types>> = defineGuard(
      declare(rule),
      async (request) => {
        refuseForeignPage(request, config.adminUrl);
        const actor = await visitors.find(request);
        const verdict = await verdictFor(request, actor, rule);
        if (verdict === 'admit') return actor as ActorOf<Types>;
        if (verdict === 'refuse' && options.redirect_to === undefined) throw new ForbiddenError();
        const signIn = signInPath(changesState(request) ? '/' : request.url);
        const path = verdict === 'sign_in' ? signIn : (options.redirect_to ?? '/');
        // A form that is sent again must not be sent to the sign-in page.
        return new LedElsewhere(path, changesState(request) ? 303 : 302);
      },
      (request, actor) => checkCsrfToken(request, actor.session.csrf_token),
    );
    return { ...guard, holds: (request) => authorized.has(request) };
  }

  /** Never redirects: 401 for the anonymous, 403 when the API guard fails. */
  function apiGuard<const Types extends readonly UserType[]>(options: ApiGuardOptions<Types>): Guard<StaffActor> {
    const rule: GuardRule = { guard: 'api', options };
    return defineGuard(
      declare(rule),
      async (request) => {
        refuseForeignPage(request, config.adminUrl);
        const actor = await visitors.find(request);
        const verdict = await verdictFor(request, actor, rule);
        if (verdict === 'sign_in') throw new UnauthenticatedError();
        if (verdict !== 'admit') throw new ForbiddenError();
        return actor as StaffActor;
      },
      (request, actor) => checkCsrfToken(request, actor.session.csrf_token),
    );
  }

  return {
    pageGuard,
    apiGuard,
    /** What the guard of this name, as it stands in routes.txt, asks for; undefined for one that is not of these two. */
    ruleOf: (name: string): GuardRule | undefined => rules.get(name),
  };
}

function caseParameter(request: FastifyRequest, name: string): number | null {
  const text = (request.params as Record<string, string | undefined>)[name] ?? '';
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null;
}

/** As it stands in routes.txt. */
function describe(guard: string, options: PageGuardOptions<readonly UserType[]>): string {
  const parts = Object.entries(options).map(([name, value]) => {
    const words = typeof value === 'function' ? 'found in the request' : [value].flat().join(' ');
    return `${name}: ${words}`;
  });
  return `${guard}(${parts.join(', ')})`;
}
