import { ForbiddenError, UnauthenticatedError } from '@case-platform/lib/errors';
import { defineGuard, type Guard } from '@case-platform/lib/guards';
import type { UserType } from '@case-platform/modules/accounts';
import { canAccessCase } from '@case-platform/modules/cases';
import { type Permission, type PermissionCategory, permissionsIn } from '@case-platform/modules/permissions';
import type { FastifyRequest } from 'fastify';
import type { AdminContext } from './context.ts';
import { decide, type Facts } from './decide.ts';
import { changesState, checkCsrfToken, refuseForeignPage } from './own-requests.ts';
import { signInPath } from './safe-next.ts';
import type { Actor, StaffActor, Visitors } from './visitors.ts';

/** The name of a parameter of the address, or a function that finds the case of a request. */
type CaseOf = string | ((request: FastifyRequest) => number | null | Promise<number | null>);

/** The specification's parameters of a route guard that both guards have. */
interface ApiGuardOptions<Types extends readonly UserType[]> {
  user_types: Types;
  /** One permission or a list: any one of them is enough. */
  perm_check?: Permission | readonly Permission[];
  case_id?: CaseOf;
}

interface PageGuardOptions<Types extends readonly UserType[]> extends ApiGuardOptions<Types> {
  /** Any permission of the category is enough. */
  category_check?: PermissionCategory;
  /** Where someone who is signed in and not allowed is led instead of a 403. */
  redirect_to?: string;
}

/** Where admins alone are let in, the admin context is sure to be there. */
type ActorOf<Types extends readonly UserType[]> = Types[number] extends 'admin' ? StaffActor : Actor;

export type Guards = ReturnType<typeof createGuards>;

/** The guards of the server-rendered application (specification, 'Server-rendered application' 3 to 6). */
export function createGuards({ db, config }: AdminContext, visitors: Visitors) {
  const strict = config.strictPageGuard;

  async function factsOf(
    request: FastifyRequest,
    actor: Actor | null,
    options: PageGuardOptions<readonly UserType[]>,
  ): Promise<Facts> {
    const { user_types, perm_check, category_check, case_id } = options;
    const hasAny = (wanted: readonly Permission[]) => wanted.some((permission) => actor?.admin?.can(permission));
    const seesCase = async (find: CaseOf) => {
      const id = typeof find === 'string' ? caseParameter(request, find) : await find(request);
      return id !== null && actor !== null && canAccessCase(db, actor.user, id);
    };
    return {
      signedIn: actor !== null,
      userType: actor !== null && user_types.includes(actor.user.user_type),
      permission: perm_check === undefined || hasAny([perm_check].flat()),
      category: category_check === undefined || hasAny(permissionsIn(category_check)),
      caseAccess: case_id === undefined || (await seesCase(case_id)),
      adminContext: actor !== null && actor.admin !== null,
    };
  }

  /** Leads the anonymous to the sign-in page; answers 403, or leads to `redirect_to`, when the page guard fails. */
  function pageGuard<const Types extends readonly UserType[]>(options: PageGuardOptions<Types>): Guard<ActorOf<Types>> {
    return defineGuard(
      describe('pageGuard', options),
      async (request, reply) => {
        refuseForeignPage(request, config.adminUrl);
        const actor = await visitors.find(request);
        const verdict = decide('page', await factsOf(request, actor, options), { strict });
        if (verdict === 'admit') return actor as ActorOf<Types>;
        if (verdict === 'refuse' && options.redirect_to === undefined) throw new ForbiddenError();
        const signIn = signInPath(changesState(request) ? '/' : request.url);
        // Answered, hence nobody is let in. A form that is sent again must not be sent to the sign-in page.
        reply.redirect(
          verdict === 'sign_in' ? signIn : (options.redirect_to ?? '/'),
          changesState(request) ? 303 : 302,
        );
        return undefined;
      },
      (request, actor) => checkCsrfToken(request, actor.session.csrf_token),
    );
  }

  /** Never redirects: 401 for the anonymous, 403 when the API guard fails. */
  function apiGuard<const Types extends readonly UserType[]>(options: ApiGuardOptions<Types>): Guard<StaffActor> {
    return defineGuard(
      describe('apiGuard', options),
      async (request) => {
        refuseForeignPage(request, config.adminUrl);
        const actor = await visitors.find(request);
        const verdict = decide('api', await factsOf(request, actor, options), { strict });
        if (verdict === 'sign_in') throw new UnauthenticatedError();
        if (verdict === 'refuse') throw new ForbiddenError();
        return actor as StaffActor;
      },
      (request, actor) => checkCsrfToken(request, actor.session.csrf_token),
    );
  }

  return { pageGuard, apiGuard };
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
