import type { Html } from '@case-platform/lib/html';
import { listWaitingRoleGrants } from '@case-platform/modules/accounts';
import { listWaitingBatches, listWaitingReturnFiles } from '@case-platform/modules/banking';
import { listCaseNames, listCases, listClosingCases } from '@case-platform/modules/cases';
import { listChangedAccounts, listDisbursements, listPaymentStops } from '@case-platform/modules/disbursements';
import { listWaitingCashEntries } from '@case-platform/modules/ledger';
import { countUnassigned, countUnread, listChains } from '@case-platform/modules/messaging';
import { countFailedDeliveries } from '@case-platform/modules/notifications';
import { isForChangedAccount } from '@case-platform/words/payee-account';
import { USER_TYPES } from '@case-platform/words/user-types';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { closingSoon } from '../cases/index.ts';
import { accountChangeRoutes } from '../disbursements/index.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import { Done } from '../form/schemas.ts';
import { BATCH_WORKERS } from '../guards/batch-workers.ts';
import { type AdminRole, isStaff, type StaffActor } from '../guards/visitors.ts';
import { readFrame } from '../page/frame.ts';
import { sendPage } from '../page/send-page.ts';
import { dashboardPage } from './dashboard.ts';
import { welcomePage } from './home.ts';

const SHOWN = 5;

/** The first page after signing in: the dashboard for admins, for everyone else a link to the web frontend. */
export function homeRoutes(server: AdminServer): void {
  const guard = server.guards.pageGuard({ user_types: USER_TYPES });
  const schema = { querystring: Type.Object({ done: Done }) };
  server.app.get('/', { config: { guard }, schema }, async (request, reply) => {
    const actor = guard.actor(request);
    if (isStaff(actor)) return sendPage(reply, await readDashboardPage(server, request, actor, request.query));
    return sendPage(reply, welcomePage(await readFrame(server.context, request, actor)));
  });
  accountChangeRoutes(server, {
    path: () => '/',
    readRefused: ({ request, actor }, refused) => readDashboardPage(server, request, actor, { refused }),
  });
}

/** Reads everything at once, except what the reader's role does not work with. */
async function readDashboardPage(
  { context }: AdminServer,
  request: FastifyRequest,
  actor: StaffActor,
  { done, refused }: { done?: string | undefined; refused?: RefusedForm },
): Promise<Html> {
  const { db, now } = context;
  const { user, admin } = actor;
  const [
    { unread_chains },
    chains,
    cases,
    closing,
    approvals,
    changedRequests,
    sentBack,
    stops,
    batches,
    cash,
    returns,
    grants,
    unassigned,
    failed,
    frame,
  ] = await Promise.all([
    admin.can('view_messages') ? countUnread(db, user) : { unread_chains: 0 },
    admin.can('view_messages') ? listChains(db, user, { unread: true, limit: SHOWN }) : null,
    listCases(db, user, { mine: true, limit: SHOWN }),
    listClosingCases(db, user.id, { by: closingSoon(now()), limit: SHOWN }),
    admin.can('approve_drs') ? listDisbursements(db, user, { waiting_for_me: true, limit: SHOWN }, now()) : null,
    admin.can('approve_drs') ? listChangedAccounts(db, user, now()) : [],
    admin.can('edit_drs') ? listDisbursements(db, user, { status: 'returned', on_own_cases: true, limit: SHOWN }, now()) : null,
    listPaymentStops(db, user),
    worksOnBatches(admin)
      ? listWaitingBatches(db, user.id, { approves: admin.can('approve_nacha'), signs: true, limit: SHOWN, now: now() })
      : null,
    admin.can('make_payments') ? listWaitingCashEntries(db, user, SHOWN) : [],
    admin.can('make_payments') ? listWaitingReturnFiles(db, user, SHOWN) : [],
    admin.can('manage_roles') ? listWaitingRoleGrants(db, user) : [],
    admin.can('view_messages') && admin.can('reassign_threads') ? countUnassigned(db) : null,
    admin.can('view_deliveries') ? countFailedDeliveries(db) : null,
    readFrame(context, request, actor),
  ]);
  const caseIds = (chains?.data ?? []).map((chain) => chain.case_id).filter((id) => id !== null);
  return dashboardPage(frame, {
    unreadChains: chains?.data ?? null,
    unreadChainCount: unread_chains,
    caseNames: await listCaseNames(db, caseIds),
    approvals: {
      data: (approvals?.data ?? []).filter((one) => one.has_content).filter((one) => !isForChangedAccount(one)),
      next_cursor: approvals?.next_cursor ?? null,
    },
    changedRequests,
    sentBack: (sentBack?.data ?? []).filter((one) => one.has_content),
    stops,
    batches,
    cash,
    returns,
    grants,
    cases: cases.data,
    closing,
    unassigned,
    failed,
    done: done === 'approved' ? 'Approved. The money is set aside, and goes out once the account can be used.' : undefined,
    refused,
  });
}

const worksOnBatches = (admin: AdminRole) => BATCH_WORKERS.some((permission) => admin.can(permission));
