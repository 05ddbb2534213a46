import { text } from './write.mjs';

const A = 'apps/admin';
const EVERY = 'test/admin/every-permission.test.ts';
const CLOSING = 'test/admin/guards.test.ts';
const CONTACTS = 'test/admin/people/contact-parts.test.ts';
const HOME = 'test/api/home/home.test.ts';
const PEOPLE = 'test/api/disbursements/disbursement-people.test.ts';
const MESSAGES = "admin.can('view_messages') ? ";

/** What a role is shown: parts of pages, and of what the API tells (docs/records/what-a-role-is-shown.md). */
// biome-ignore format: a mutant a line
export const PARTS = [
  text('a page holds for whoever is let in', `${A}/guards/guards.ts`, '.authorized;\n    };\n    return', '.adminContext;\n    };\n    return', CLOSING),
  text('a case lists conversations to every role', `${A}/cases/read-case-page.ts`, `${MESSAGES}listChains(db, user, { case_id, limit: CHAINS_SHOWN }) : null`, 'listChains(db, user, { case_id, limit: CHAINS_SHOWN })', EVERY),
  text('the list of cases counts messages for every role', `${A}/cases/case-routes.ts`, "actor.admin.can('view_messages') ? listCaseActivity(db, actor.user, ids) : new Map()", 'listCaseActivity(db, actor.user, ids)', EVERY),
  text('the dashboard lists conversations to every role', `${A}/home/home-routes.ts`, `${MESSAGES}listChains(db, user, { unread: true, limit: SHOWN }) : null`, 'listChains(db, user, { unread: true, limit: SHOWN })', EVERY),
  text('every page counts messages for every role', `${A}/page/frame.ts`, "reads ? await countUnread(db, actor.user) : { unread_count: 0 }", 'await countUnread(db, actor.user)', EVERY),
  text('a refused change of a conversation shows it', `${A}/inbox/chain-change-routes.ts`, "if (!reading.holds(request)) return closedPage", 'if (reading === undefined) return closedPage', EVERY),
  text('milestones are there for the whole team', `${A}/cases/read-case-page.ts`, '.holds(request);', '.holds(request) || true;', EVERY),
  text('requests of a case are there for every role', `${A}/cases/read-case-page.ts`, 'readsRequests(admin) ? listDisbursements(db, user, { case_id, limit: DISBURSEMENTS_SHOWN }) : null', 'listDisbursements(db, user, { case_id, limit: DISBURSEMENTS_SHOWN })', EVERY),
  text('the audit log names addresses', `${A}/audit/hide-by-role.ts`, "(ofContact && !seesContacts) || ", '', CONTACTS),
  text('the audit log names conversations', `${A}/audit/hide-by-role.ts`, " || (ofTalk && !can('view_messages'))", '', EVERY),
  text('the audit log holds addresses and numbers', `${A}/audit/hide-by-role.ts`, '!seesContacts && !OF_EVERYBODY.has(field)', 'false', CONTACTS),
  text('the audit log holds bank accounts', `${A}/audit/hide-by-role.ts`, '.test(subject_type) && !seesAccounts', '.test(subject_type) && false', EVERY),
  text('the audit log is looked through by address', `${A}/audit/audit-routes.ts`, 'maySeeContacts(actor) ? request.query : others', 'request.query', CONTACTS),
  text('an entry says where a visit came from', `${A}/audit/audit-page.ts`, 'maySeeContacts(frame.actor) ? html`<span class="mono">${ip_address}</span>` : HIDDEN_PART', 'html`<span class="mono">${ip_address}</span>`', CONTACTS),
  text('access is explained by address', `${A}/roles/access-routes.ts`, 'if (!byAddress) return', 'if (!byAddress && email === undefined) return', CONTACTS),
  text('an overview counts requests for every role', 'modules/overview/case-overviews.ts', 'open_requests: readsRequests ? open_requests : 0', 'open_requests', HOME),
  text('an overview says to every role what is stuck', 'modules/overview/case-overviews.ts', 'readsRequests ? listStuckRequests(db, user, caseIds, now) : undefined', 'listStuckRequests(db, user, caseIds, now)', HOME),
  text('an overview counts messages for every role', 'modules/overview/case-overviews.ts', "may('view_messages') ? listCaseActivity(db, user, caseIds) : undefined", 'listCaseActivity(db, user, caseIds)', HOME),
  text('who reads no requests names their conversation', 'modules/disbursements/link-chain.ts', 'if (!reads || !sees_case)', 'if (!sees_case)', PEOPLE),
  text('who is on no case names the conversation of its requests', 'modules/disbursements/link-chain.ts', 'if (!reads || !sees_case)', 'if (!reads)', PEOPLE),
];
