import { USER_TYPES } from '@case-platform/modules/accounts';
import { listCaseNames, listCases } from '@case-platform/modules/cases';
import { countUnread, listChains } from '@case-platform/modules/messaging';
import type { AdminServer } from '../admin-server.ts';
import { type Frame, readFrame } from '../frame.ts';
import { sendPage } from '../send-page.ts';
import { dashboardPage, welcomePage } from '../views/home.ts';
import { isStaff, type StaffActor } from '../visitors.ts';

const CHAINS_SHOWN = 6;
const CASES_SHOWN = 5;

/** The first page after signing in: what waits for an admin, and for everyone else the way to their own place. */
export function homeRoutes(server: AdminServer): void {
  const guard = server.guards.pageGuard({ user_types: USER_TYPES });
  server.app.get('/', { config: { guard } }, async (request, reply) => {
    const actor = guard.actor(request);
    if (isStaff(actor))
      return sendPage(reply, await dashboard(server, await readFrame(server.context, request, actor)));
    return sendPage(reply, welcomePage(await readFrame(server.context, request, actor)));
  });
}

async function dashboard({ context }: AdminServer, frame: Frame<StaffActor>): Promise<string> {
  const { db } = context;
  const { user } = frame.actor;
  const [{ unread_chains }, chains, cases] = await Promise.all([
    countUnread(db, user),
    listChains(db, user, { unread: true, limit: CHAINS_SHOWN }),
    listCases(db, user, { limit: CASES_SHOWN }),
  ]);
  const caseIds = chains.data.map((chain) => chain.case_id).filter((id) => id !== null);
  return dashboardPage(frame, {
    unreadChains: chains.data,
    unreadChainCount: unread_chains,
    cases: cases.data,
    caseNames: await listCaseNames(db, caseIds),
  });
}
