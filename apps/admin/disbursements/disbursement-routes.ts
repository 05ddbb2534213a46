import {
  DISBURSEMENT_STATUSES,
  type DisbursementStatus,
  listChangedAccounts,
  listDisbursements,
  PAYERS,
} from '@case-platform/modules/disbursements';
import { CATEGORY_MAX, SEARCH_MAX } from '@case-platform/words/limits';
import { Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { Cursor, Done, Id } from '../form/schemas.ts';
import { readFrame } from '../page/frame.ts';
import { sendPage } from '../page/send-page.ts';
import { disbursementListPage } from './disbursement-list.ts';
import { readDisbursementPage } from './read-disbursement-page.ts';

const ListQuery = Type.Object({
  status: Type.Optional(Type.Unsafe<DisbursementStatus>({ type: 'string', enum: [...DISBURSEMENT_STATUSES] })),
  show: Type.Unsafe<'all' | 'mine'>({ type: 'string', enum: ['all', 'mine'], default: 'all' }),
  case_id: Type.Optional(Id),
  /** Of one case. */
  category: Type.Optional(Type.String({ maxLength: CATEGORY_MAX })),
  q: Type.Optional(Type.String({ maxLength: SEARCH_MAX })),
  cursor: Type.Optional(Cursor),
});

/** The list of requests, and one request on its page (REQUEST-11, REQUEST-17). */
export function disbursementRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const reading = guards.pageGuard({ user_types: ['admin'], perm_check: 'view_drs', closed: 'disbursements' });

  const paying = guards.pageGuard({ user_types: ['admin'], perm_check: ['view_drs', ...PAYERS], closed: 'disbursements' });

  app.get('/disbursements', { config: { guard: reading }, schema: { querystring: ListQuery } }, async (request, reply) => {
    const actor = reading.actor(request);
    const frame = await readFrame(context, request, actor);
    const { query } = request;
    const { db, now } = context;
    const { show, ...filter } = query;
    const listFilter = { ...filter, waiting_for_me: show === 'mine' };
    const isFirst = show === 'mine' && query.cursor === undefined;
    const [page, changedRequests] = await Promise.all([
      listDisbursements(db, actor.user, listFilter, now()),
      isFirst ? listChangedAccounts(db, actor.user, now(), { case_id: query.case_id }) : [],
    ]);
    const list = { disbursements: page.data, next_cursor: page.next_cursor, changedRequests, query };
    return sendPage(reply, disbursementListPage(frame, list));
  });

  app.get(
    '/disbursements/:disbursement_id',
    {
      config: { guard: paying },
      schema: {
        params: Type.Object({ disbursement_id: Id }),
        querystring: Type.Object({ done: Done }),
      },
    },
    async (request, reply) => {
      const actor = paying.actor(request);
      const shown = { ...request.params, ...request.query, onlyPays: !actor.admin.can('view_drs') };
      return sendPage(reply, await readDisbursementPage(server, request, actor, shown));
    },
  );
}
