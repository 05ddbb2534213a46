import { createAgency, issueAgencyKey, renameAgency, revokeAgencyKey } from '@case-platform/modules/accounts';
import { type Static, Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { type FormPage, formRoute } from '../form/form-route.ts';
import { Id } from '../form/schemas.ts';
import { sendPage } from '../page/send-page.ts';
import { readAgencyListPage, readAgencyPage } from './read-agency-pages.ts';

const params = Type.Object({ agency_id: Id });
/** Longer than a name may be, so that a name that is too long comes back in the form. */
const NameForm = Type.Object({ name: Type.String({ maxLength: 2000, default: '' }) });

/** Adds and renames agencies, and issues and revokes the keys of their systems (KEY-1, KEY-7). */
export function agencyChangeRoutes(server: AdminServer): void {
  const { context, guards } = server;
  const { db } = context;
  const guard = guards.apiGuard({ user_types: ['admin'], perm_check: 'edit_agencies' });
  const list: FormPage<unknown> = {
    path: () => '/agencies',
    readRefused: ({ request, actor }, refused) => readAgencyListPage(server, request, actor, { refused }),
  };
  const page: FormPage<Static<typeof params>> = {
    path: ({ agency_id }) => `/agencies/${agency_id}`,
    readRefused: ({ request, actor, params: { agency_id } }, refused) =>
      readAgencyPage(server, request, actor, { agency_id, refused }),
  };

  formRoute(server, list, '/agencies', {
    guard,
    body: NameForm,
    run: ({ body, by }) => createAgency(db, body.name, by),
    next: ({ id }) => `/agencies/${id}?done=created`,
  });

  formRoute(server, page, '/agencies/:agency_id/name', {
    guard,
    params,
    body: NameForm,
    done: 'renamed',
    run: ({ params: { agency_id }, body, by }) => renameAgency(db, agency_id, body.name, by),
  });

  formRoute(server, page, '/agencies/:agency_id/keys', {
    guard,
    params,
    run: ({ params: { agency_id }, by }) => issueAgencyKey(db, agency_id, by),
    // Only this answer contains the key: it is no redirect, and no cache may store it.
    next: async (key, { request, reply, actor, params: { agency_id } }) => {
      reply.header('cache-control', 'no-store');
      return sendPage(reply, await readAgencyPage(server, request, actor, { agency_id, issued: key }));
    },
  });

  formRoute(server, page, '/agencies/:agency_id/keys/:key_id/revoke', {
    guard,
    params: Type.Object({ agency_id: Id, key_id: Id }),
    done: 'revoked',
    run: ({ params: { agency_id, key_id }, by }) => revokeAgencyKey(db, agency_id, key_id, by),
  });
}
