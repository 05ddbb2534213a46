import { ForbiddenError, UnauthenticatedError } from '@case-platform/lib/errors';
import { defineGuard, type Guard, Redirect } from '@case-platform/lib/guards';
import { type Permission, type PermissionCategory, permissionsIn } from '@case-platform/modules/accounts';
import { canAccessCase } from '@case-platform/modules/cases';
import type { UserType } from '@case-platform/words/user-types';
import type { FastifyRequest } from 'fastify';
import type { AdminContext } from '../context.ts';
import type { ClosedSubject } from './closed-subject.ts';
import { changesState, requireCsrfToken, requireOwnPage } from './own-requests.ts';
import { signInPath } from './safe-next.ts';
import type { Actor, StaffActor, Visitors } from './visitors.ts';

/** The parameters that both guards have (GUARD-2). */
interface ApiGuardOptions<Types extends readonly UserType[]> {
  user_types: Types;
  /** One permission or a list: any one of them is enough. */
  perm_check?: Permission | readonly Permission[];
  /** The name of a parameter of the address, or a function that finds the case of a request. */
  case_id?: string | ((request: FastifyRequest) => number | null | Promise<number | null>);
}

interface PageGuardOptions<Types extends readonly UserType[]> extends ApiGuardOptions<Types> {
  /** Any permission of the category is enough. */
  category_check?: PermissionCategory;
  /** Where someone who is signed in but not allowed is sent instead of getting a 403. */
  redirect_to?: string;
  /**
   * Closes the page to admins for whom the check fails, and names what they see instead. Without it, any admin reads the page,
   * and the page hides parts of itself.
   */
  closed?: ClosedSubject;
}

/** The declaration of a guard. */
export interface GuardRule {
  guard: 'page' | 'api';
  options: PageGuardOptions<readonly UserType[]>;
}

/** Where only admins are let in, the admin context is always there. */
type ActorOf<Types extends readonly UserType[]> = Types[number] extends 'admin' ? StaffActor : Actor;

/** A page guard also says whether its own check holds: any admin may read a page, but not everything on it. */
export interface PageGuard<Actor> extends Guard<Actor> {
  /**
   * Whether the authorization check of the guard (A of the formulas) holds for a request that it has let in, or another guard
   * whose form comes back with this one's page. Content meant for fewer people is hidden by this and by no other check
   * (GUARD-7).
   */
  holds(request: FastifyRequest): boolean;
}

export type Guards = ReturnType<typeof createGuards>;

/** The guards of the staff application (GUARD-1 to GUARD-5). */
export function createGuards({ db, config }: AdminContext, visitors: Visitors) {
  const rules = new Map<string, GuardRule>();
  const letIn = new WeakMap<FastifyRequest, Pick<Circumstances, 'actor' | 'hasCaseAccess'>>();

  /** Sends visitors to the sign-in page; answers 403, or redirects to `redirect_to`, when the page guard fails. */
  function pageGuard<const Types extends readonly UserType[]>(options: PageGuardOptions<Types>): PageGuard<ActorOf<Types>> {
    const guard = declare({ guard: 'page', options }, async (request, actor, verdict) => {
      if (verdict === 'admit') return actor as ActorOf<Types>;
      if (verdict === 'refuse' && options.redirect_to === undefined) throw new ForbiddenError();
      const signIn = signInPath(changesState(request) ? '/' : request.url);
      const path = verdict === 'sign_in' ? signIn : (options.redirect_to ?? '/');
      // 303 turns a POST into a GET: a form must not be sent again to the sign-in page.
      return new Redirect(path, changesState(request) ? 303 : 302);
    });
    return { ...guard, holds: (request) => isAuthorized({ guard: 'page', options }, request) };
  }

  function isAuthorized(rule: GuardRule, request: FastifyRequest): boolean {
    const circumstances = letIn.get(request);
    return circumstances !== undefined && decide(rule, { ...circumstances, strict: false }).authorized;
  }

  /** Never redirects: 401 for visitors who are not signed in, 403 when the API guard fails. */
  function apiGuard<const Types extends readonly UserType[]>(options: ApiGuardOptions<Types>): Guard<StaffActor> {
    return declare({ guard: 'api', options }, async (_request, actor, verdict) => {
      if (verdict === 'sign_in') throw new UnauthenticatedError();
      if (verdict !== 'admit') throw new ForbiddenError();
      return actor as StaffActor;
    });
  }

  /** Both guards find the actor, decide, answer, and check the form's CSRF token once its body is read. */
  function declare<Admitted extends Actor>(
    rule: GuardRule,
    answer: (request: FastifyRequest, actor: Actor | null, verdict: Decision['verdict']) => Promise<Admitted | Redirect>,
  ): Guard<Admitted> {
    const name = nameOf(rule);
    rules.set(name, rule);
    return defineGuard<Admitted>(
      name,
      async (request) => {
        requireOwnPage(request, config.adminUrl);
        const actor = await visitors.find(request);
        const hasCaseAccess = actor !== null && (await seesCase(request, actor, rule.options.case_id));
        const decision = decide(rule, { actor, hasCaseAccess, strict: config.strictPageGuard });
        letIn.set(request, { actor, hasCaseAccess });
        return answer(request, actor, decision.verdict);
      },
      (request, actor) => requireCsrfToken(request, actor.session.csrf_token),
    );
  }

  async function seesCase(request: FastifyRequest, { user }: Actor, find: GuardRule['options']['case_id']): Promise<boolean> {
    if (find === undefined) return false;
    const id = typeof find === 'string' ? idInParams(request, find) : await find(request);
    return id !== null && canAccessCase(db, user, id);
  }

  return {
    pageGuard,
    apiGuard,
    /** The subject of the closed page that a request gets instead of its page; undefined if it gets the page. */
    closedSubject(request: FastifyRequest): ClosedSubject | undefined {
      const rule = rules.get(request.routeOptions.config.guard?.name ?? '');
      if (rule?.options.closed === undefined || isAuthorized(rule, request)) return undefined;
      return rule.options.closed;
    },
    /** The rule of the guard with this name in routes.txt; undefined for a guard that is neither of these two. */
    ruleOf: (name: string): GuardRule | undefined => rules.get(name),
  };
}

/** One check of a guard. It passes if the rule does not require it (`required` is null). */
interface Check<Value> {
  required: readonly Value[] | null;
  /** Those that the person has. */
  present: readonly Value[];
  holds: boolean;
}

/** A guard's decision about a person, and the reasons: for the guards, and for the page that explains them. */
export interface Decision {
  verdict: 'admit' | 'sign_in' | 'refuse';
  checks: {
    userType: Check<UserType>;
    permission: Check<Permission>;
    category: Check<Permission>;
    caseAccess: Check<'case'>;
  };
  /** A of the formulas: the authorization check, which is all four checks together. */
  authorized: boolean;
  /** C of the formulas: there is an admin context. */
  adminContext: boolean;
}

interface Circumstances {
  actor: Pick<Actor, 'user' | 'admin'> | null;
  /** Whether they see the case that the route is about. */
  hasCaseAccess: boolean;
  /** STRICT_PAGE_GUARD: a failed authorization check is enough for the page guard to fail. */
  strict: boolean;
}

/** The formulas of the page guard and the API guard (GUARD-3, GUARD-4). */
export function decide({ guard, options }: GuardRule, { actor, hasCaseAccess, strict }: Circumstances): Decision {
  const { user_types, perm_check, category_check, case_id } = options;
  const type = actor?.user.user_type;
  const anyOf = (required: readonly Permission[]): Check<Permission> => {
    const present = required.filter((permission) => actor?.admin?.can(permission));
    return { required, present, holds: present.length > 0 };
  };
  const userType = {
    required: user_types,
    present: type === undefined ? [] : [type],
    holds: type !== undefined && user_types.includes(type),
  };
  const permission = perm_check === undefined ? NOT_REQUIRED : anyOf([perm_check].flat());
  const category = category_check === undefined ? NOT_REQUIRED : anyOf(permissionsIn(category_check));
  const caseAccess: Check<'case'> =
    case_id === undefined ? NOT_REQUIRED : { required: ['case'], present: hasCaseAccess ? ['case'] : [], holds: hasCaseAccess };

  const authorized = userType.holds && permission.holds && category.holds && caseAccess.holds;
  const adminContext = actor !== null && actor.admin !== null;
  const fails = guard === 'page' ? !authorized && (strict || !adminContext) : !authorized || !adminContext;
  const verdict = actor === null ? 'sign_in' : fails ? 'refuse' : 'admit';
  return { verdict, checks: { userType, permission, category, caseAccess }, authorized, adminContext };
}

const NOT_REQUIRED = { required: null, present: [], holds: true };

/** The id in the address under this name, or null. Guards run before the address is validated. */
export function idInParams(request: FastifyRequest, name: string): number | null {
  const text = (request.params as Record<string, string | undefined>)[name] ?? '';
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null;
}

/** The guard's name in routes.txt. */
function nameOf({ guard, options }: GuardRule): string {
  const parts = Object.entries(options).map(([name, value]) => {
    const words = typeof value === 'function' ? 'found in the request' : [value].flat().join(' ');
    return `${name}: ${words}`;
  });
  return `${guard}Guard(${parts.join(', ')})`;
}
