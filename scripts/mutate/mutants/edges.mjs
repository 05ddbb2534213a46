import { leftOut, schema, text, together } from './write.mjs';

const API_GUARDS = 'apps/api/guards/guards.ts';
const ADMIN_GUARDS = 'test/admin/guards.test.ts';
const MATRIX = 'test/api/guard-matrix.test.ts';
const LOGIN = 'test/api/accounts/auth.test.ts';
const MACHINES = 'test/api/server/machines.test.ts';
const DECIDE = 'apps/admin/guards/guards.test.ts';
const OWN = 'apps/admin/guards/own-requests.test.ts';
const PASS_ON = 'apps/web/server/pass-on-call.test.ts';
const MESSAGES = ['test/api/messaging/messages.test.ts', 'test/api/messaging/chains.test.ts'];
const KEYS = 'lib/idempotency.test.ts';
const ROLES = 'modules/permissions/change-roles.test.ts';
const GRANTS = 'modules/permissions/role-grants.ts';
const SEEN = 'test/admin/people/role-seen.test.ts';
const SYNCHRONISE = 'modules/permissions/synchronise-permissions.test.ts';

const anyonesPermissions = text(
  'somebody who is no admin has permissions',
  'modules/accounts/rights.ts',
  "where holder.id = ${admin} and holder.user_type = 'admin'",
  'where holder.id = ${admin}',
  ROLES,
);
const anyonesRole = schema(
  'somebody who is no admin has a role',
  'alter table user_account drop constraint user_account_check',
  ROLES,
);

/** Guards, keys, roles, and what stands at the edges of the applications. */
// biome-ignore format: a mutant a line
export const EDGES = [
  text('the API ignores types of user', API_GUARDS, 'if (user_types !== undefined && !user_types.includes(found.user_type)) throw new ForbiddenError();', '', MATRIX),
  text('any page changes things by the cookie', API_GUARDS, "const foreign = headers['sec-fetch-site'] === 'cross-site';", 'const foreign = false;', LOGIN, 'test/api/server/attacks.test.ts'),
  text('any origin changes things by the cookie', API_GUARDS, 'headers.origin !== undefined && !origins.includes(headers.origin)', 'headers.origin === undefined && origins.length < 0', LOGIN),
  text('a bad Bearer beside a good cookie is let in', API_GUARDS, 'if (bearer === undefined) throw new UnauthenticatedError();\n    return bearer;', 'if (bearer !== undefined && request.cookies.api_token === undefined) return bearer;', LOGIN),
  text('any master key is taken', API_GUARDS, '!masterHashes.some((hash) => timingSafeEqual(given, hash))', 'given.length !== 32', MACHINES, MATRIX),
  text('a route without a guard starts', 'lib/http-server.ts', 'if (guard === undefined) throw new Error', 'if (guard === null) throw new Error', 'test/api/server/guards.test.ts'),
  text('a guard that says nothing lets in', 'lib/guards.ts', 'if (!isActor(found)) throw new ForbiddenError();', '', 'lib/guards.test.ts', 'lib/http-server.test.ts'),
  text('any permission opens every page', 'apps/admin/guards/guards.ts', 'userType.holds && permission.holds && category.holds', 'userType.holds && category.holds', DECIDE),
  text('any category opens every page', 'apps/admin/guards/guards.ts', '&& category.holds && caseAccess.holds', '&& caseAccess.holds', DECIDE, ADMIN_GUARDS),
  text('any case opens every page', 'apps/admin/guards/guards.ts', '&& category.holds && caseAccess.holds', '&& category.holds', DECIDE),
  text('one permission of a list is not enough', 'apps/admin/guards/guards.ts', 'return { asked, found, holds: found.length > 0 };', 'return { asked, found, holds: found.length === asked.length };', DECIDE, 'test/admin/guard-matrix.test.ts'),
  text('a category is read as no condition', 'apps/admin/guards/guards.ts', 'category_check === undefined ? NOT_ASKED : anyOf(permissionsIn(category_check))', 'NOT_ASKED', DECIDE, ADMIN_GUARDS),
  text('any page is closed to admins without the permission', 'apps/admin/guards/guards.ts', '!authorized && (strict || !adminContext)', '!authorized', DECIDE),
  text('a strict page guard is not', 'apps/admin/guards/guards.ts', '(strict || !adminContext)', '!adminContext', DECIDE),
  text('the API guard lets in whoever it authorizes', 'apps/admin/guards/guards.ts', ': !authorized || !adminContext;', ': !authorized;', DECIDE),
  text('the API guard lets in every admin', 'apps/admin/guards/guards.ts', ': !authorized || !adminContext;', ': !adminContext;', DECIDE),
  text('any type of user opens every page', 'apps/admin/guards/guards.ts', 'type !== undefined && user_types.includes(type)', 'type !== undefined', DECIDE),
  text('redirect_to is forgotten', 'apps/admin/guards/guards.ts', "verdict === 'refuse' && options.redirect_to === undefined", "verdict === 'refuse'", ADMIN_GUARDS),
  text('a form without its token is taken', 'apps/admin/guards/own-requests.ts', 'if (!isCsrfToken(given, expected)) {', "if (given === '') {", OWN, ADMIN_GUARDS),
  text('a form of another site is taken', 'apps/admin/guards/own-requests.ts', 'if (foreign) throw new ForbiddenError', 'if (foreign === undefined) throw new ForbiddenError', OWN),
  text('another port of this host posts forms', 'apps/admin/guards/own-requests.ts', "site !== 'same-origin' && site !== 'none'", "site !== 'same-origin' && site !== 'same-site' && site !== 'none'", OWN),
  text('who signs out while the API answers is signed in again', 'apps/web/session/session-cookie.ts', 'return isSignedOut(token.sid, Date.now()) ? null : value;', 'return value;', PASS_ON),
  text('a page whose token another page replaced takes that for an answer', 'apps/web/api/with-csrf-token.ts', 'if (!isRefused(answer)) return answer;', 'return answer;', 'apps/web/api/with-csrf-token.test.ts'),
  text('a page answers whoever has signed in since', 'apps/web/server/pass-on.ts', 'reader !== null && session !== null && reader !== session.sub', "reader === ''", 'apps/web/server/pass-on.test.ts', PASS_ON),
  text('a key answers another person', 'lib/idempotency.ts', 'from idempotency_key where user_id = ${userId} and key = ${key}`', 'from idempotency_key where ${userId} > 0 and key = ${key}`', MESSAGES, KEYS),
  text('a key answers another request', 'lib/idempotency.ts', 'if (known !== undefined && !known.request_hash.equals(requestHash)) {', 'if (known === null) {', MESSAGES, KEYS),
  text('a claim that was given up still answers', 'lib/idempotency.ts', '    sql`update idempotency_key set response_body = ${JSON.stringify(answer)}\n         where user_id = ${claim.userId} and key = ${claim.key} and created_at = ${claim.claimedAt}', '    sql`update idempotency_key set response_body = ${JSON.stringify(answer)}\n         where user_id = ${claim.userId} and key = ${claim.key}', KEYS),
  text('keys are kept 25 hours', 'lib/idempotency.ts', "interval '24 hours'", "interval '25 hours'", KEYS),
  text('keys are kept 23 hours', 'lib/idempotency.ts', "interval '24 hours'", "interval '23 hours'", KEYS),
  text('a claim is given up after a minute', 'lib/idempotency.ts', "interval '2 minutes'", "interval '1 minute'", KEYS),
  text('a failed request keeps its key', 'lib/idempotency.ts', 'else await releaseIdempotencyKey(db, own).catch(() => void releaseLater(db, own));', '', MESSAGES),
  text('the last who manages roles loses that', 'modules/permissions/change-roles.ts', "    if (removed.includes('manage_roles')) await keepRoleManager(tx);\n", '', ROLES, 'test/admin/roles/roles.test.ts'),
  text('a deactivated admin counts as managing roles', 'modules/permissions/keep-manage-roles.ts', "where u.status = 'active' and", 'where', ROLES, 'test/admin/people/user-changes.test.ts'),
  text('two take each other’s right to manage roles', 'modules/permissions/keep-manage-roles.ts', '  await query(tx, sql`select pg_advisory_xact_lock(${ROLE_MANAGERS_LOCK})`);\n', '', ROLES, 'test/admin/people/user-changes.test.ts', 'test/admin/roles/roles.test.ts'),
  text('a role that was changed meanwhile is changed over', 'modules/permissions/change-roles.ts', 'seen.version !== undefined && seen.version !== role.version', "seen.version === ''", ROLES),
  text('a role is given whatever it allows by now', GRANTS, 'role.version === seen.role', "seen.role !== 'x'", SEEN),
  text('a role is given whatever the person has by now', GRANTS, 'if (seen.held !== heldVersion(before, waiting)) {', "if (seen.held === 'x') {", SEEN),
  text('what waits for somebody is taken back unseen', GRANTS, 'heldVersion(before, waiting)) {', 'heldVersion(before, []) && waiting.length === 0) {', SEEN),
  text('a change of somebody’s role says nothing of what was seen', 'apps/admin/people/user-change-routes.ts', 'grantRole: grantRole(context, seen)', 'grantRole: grantRole(context, seen.held === null ? seen : undefined)', SEEN),
  text('an invitation says nothing of the role that was seen', 'apps/admin/people/user-form-routes.ts', 'grantRole: grantRole(context, seen)', 'grantRole: grantRole(context, seen.held === null ? seen : undefined)', SEEN),
  text('a role that somebody has is deleted', 'modules/permissions/change-roles.ts', 'if (members.length > 0) throw', 'if (members.length < 0) throw', ROLES, 'test/admin/roles/roles.test.ts'),
  text('an older version removes newer permissions', 'modules/permissions/synchronise-permissions.ts', 'seen !== undefined && seen.version > version', 'seen === null', SYNCHRONISE),
  together('stale permissions stay', text('', 'modules/permissions/synchronise-permissions.ts', '    await query(tx, sql`delete from admin_permission where value = ${value}`);\n', '', SYNCHRONISE)),
  leftOut('the table gives a role to admins alone, so that nobody else has permissions to be found', anyonesPermissions),
  anyonesRole,
  together('whoever is no admin may do what a role may', anyonesPermissions, anyonesRole),
];
