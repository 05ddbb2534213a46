import { schema, text, together } from './write.mjs';

const M = 'modules/accounts';
const LOGIN = 'test/api/accounts/auth.test.ts';
const ATTACKS = 'test/api/server/attacks.test.ts';
const CODES = ['test/api/accounts/two-factor.test.ts', 'test/api/accounts/two-factor-settings.test.ts'];
const PASSWORD = 'test/api/accounts/password.test.ts';
const STAFF_LOGIN = 'test/admin/account/sign-in.test.ts';
const STAFF_CODES = 'test/admin/account/two-factor.test.ts';
const USER_CHANGES = 'test/admin/people/user-changes.test.ts';
const MACHINES = 'test/api/server/machines.test.ts';
const AGENCIES = 'test/admin/agencies/agencies.test.ts';
const SECRETS = 'test/api/accounts/secrets-bound.test.ts';
const LIMITS = 'test/api/accounts/password-limits.test.ts';
const POLICY = `${M}/password/password-policy.test.ts`;
const TAKEOVER = 'test/admin/account/takeover.test.ts';
const CONFIRM = 'test/api/accounts/confirm-identity.test.ts';
const ASKED_AGAIN = 'test/admin/account/asked-again.test.ts';
const OWN_ADDRESS = 'test/api/accounts/own-address.test.ts';
const ONE_ADDRESS = 'test/api/server/limits.test.ts';

const codeTwice = text(
  'the code step lets a TOTP step work twice',
  `${M}/sign-in/challenges.ts`,
  'totp_last_step is null or totp_last_step < ${step}',
  'totp_last_step is null or totp_last_step <= ${step}',
  CODES,
);

/** Signing in, codes, sessions, tokens and the people themselves. */
// biome-ignore format: a mutant a line
export const ACCOUNTS = [
  text('a token of any purpose opens everything', `${M}/sign-in/tokens.ts`, 'typ !== purpose ||', '', ATTACKS, CODES),
  text('a token of another issuer is taken', `${M}/sign-in/tokens.ts`, '      issuer: ISSUER,\n', '', ATTACKS),
  text('a token for another audience is taken', `${M}/sign-in/tokens.ts`, '      audience: AUDIENCE,\n', '', ATTACKS),
  text('a token without an end is taken', `${M}/sign-in/tokens.ts`, "['sub', 'exp', 'iat']", "['sub', 'iat']", ATTACKS),
  text('another signing algorithm is taken', `${M}/sign-in/tokens.ts`, 'algorithms: [ALGORITHM]', "algorithms: [ALGORITHM, 'HS512']", ATTACKS),
  text('tokens of a record open the next one of its pair', `${M}/sign-in/sign-in.ts`, '!user || user.id !== claims.user_id', '!user', LOGIN, ATTACKS),
  text('a deactivated person signs in', `${M}/sign-in/sign-in.ts`, " and user_type = ${userType} and status = 'active'", ' and user_type = ${userType}', LOGIN, USER_CHANGES),
  text('an unknown account is refused without the work', `${M}/password/passwords.ts`, "await verify(await nobodysHash, password.normalize('NFKC'));", '', 'test/api/accounts/same-work.test.ts'),
  text('failed logins are not counted', `${M}/sign-in/sign-in.ts`, "      await throttle.consume('login', subject);\n", '', PASSWORD),
  text('right passwords are tried after ten wrong ones', `${M}/sign-in/sign-in.ts`, "    await throttle.check('login', subject);\n", '', PASSWORD),
  text('eleven wrong passwords', `${M}/sign-in/throttle.ts`, 'login: { points: 10,', 'login: { points: 11,', PASSWORD),
  text('nine wrong passwords at most', `${M}/sign-in/throttle.ts`, 'login: { points: 10,', 'login: { points: 9,', PASSWORD),
  text('eleven wrong codes an account', `${M}/sign-in/throttle.ts`, '  code: { points: 10,', '  code: { points: 11,', CODES),
  text('nine wrong codes an account', `${M}/sign-in/throttle.ts`, '  code: { points: 10,', '  code: { points: 9,', CODES),
  text('seven codes sent in 15 minutes', `${M}/sign-in/throttle.ts`, 'send_code: { points: 6,', 'send_code: { points: 7,', CODES, STAFF_CODES),
  text('five codes sent in 15 minutes', `${M}/sign-in/throttle.ts`, 'send_code: { points: 6,', 'send_code: { points: 5,', CODES, STAFF_CODES),
  text('four reset mails in 15 minutes', `${M}/sign-in/throttle.ts`, 'reset: { points: 3,', 'reset: { points: 4,', PASSWORD),
  text('two reset mails in 15 minutes', `${M}/sign-in/throttle.ts`, 'reset: { points: 3,', 'reset: { points: 2,', PASSWORD),
  text('wrong current passwords are not counted', `${M}/sign-in/throttle.ts`, 'password: { points: 10,', 'password: { points: 100_000,', LIMITS),
  text('a right code counts as a wrong one', `${M}/sign-in/challenges.ts`, "  await throttle.giveBack('code', String(open.user_id));\n", '', LIMITS, CODES),
  text('six tries a challenge', `${M}/sign-in/challenges.ts`, 'ATTEMPTS = 5', 'ATTEMPTS = 6', CODES),
  text('four tries a challenge', `${M}/sign-in/challenges.ts`, 'ATTEMPTS = 5', 'ATTEMPTS = 4', CODES),
  text('codes live eleven minutes', `${M}/sign-in/challenges.ts`, 'LIFETIME_MS = 10 * 60_000', 'LIFETIME_MS = 11 * 60_000', CODES, LIMITS),
  text('codes live nine minutes', `${M}/sign-in/challenges.ts`, 'LIFETIME_MS = 10 * 60_000', 'LIFETIME_MS = 9 * 60_000', CODES, LIMITS),
  text('codes are sent again after half a minute', `${M}/sign-in/challenges.ts`, 'RESEND_AFTER_MS = 60_000', 'RESEND_AFTER_MS = 30_000', CODES, LIMITS),
  text('a challenge of one purpose opens another', `${M}/sign-in/challenges.ts`, 'c.id = ${id} and c.purpose = ${purpose} and', "c.id = ${id} and ${purpose} <> '' and", STAFF_CODES),
  text('a used challenge is opened again', `${M}/sign-in/challenges.ts`, 'where id = ${id} and used_at is null returning id`', 'where id = ${id} returning id`', CODES),
  text('a person who was deactivated meanwhile passes the code step', `${M}/sign-in/challenges.ts`, "u.id = c.user_id and u.status = 'active'", 'u.id = c.user_id', STAFF_CODES),
  text('a mailed code is none of its challenge alone', `${M}/sign-in/challenges.ts`, '`${challengeId}:${code}`', 'code', CODES, SECRETS),
  codeTwice,
  text('TOTP accepts two steps either side', `${M}/sign-in/totp.ts`, 'window: 1', 'window: 2', CODES),
  text('TOTP accepts no step either side', `${M}/sign-in/totp.ts`, 'window: 1', 'window: 0', CODES),
  text('a backup code works twice', `${M}/sign-in/backup-codes.ts`, 'code_hash = any(${hashesOf(encryptionKey, userId, code)}) and used_at is null returning', 'code_hash = any(${hashesOf(encryptionKey, userId, code)}) returning', CODES),
  text('backup codes of before still work', `${M}/sign-in/backup-codes.ts`, '  await query(tx, sql`delete from backup_code where user_id = ${userId}`);\n', '', LIMITS),
  text('a backup code is spent on anybody’s account', `${M}/sign-in/backup-codes.ts`, 'where user_id = ${userId}\n           and code_hash = any(${hashesOf(encryptionKey, userId, code)}) and', 'where ${userId} > 0 and code_hash = any(${hashesOf(encryptionKey, userId, code)}) and', SECRETS),
  together('backup codes are nobody’s in particular', text('', `${M}/sign-in/backup-codes.ts`, 'where user_id = ${userId}\n           and code_hash = any(${hashesOf(encryptionKey, userId, code)}) and', 'where ${userId} > 0 and code_hash = any(${hashesOf(encryptionKey, userId, code)}) and', SECRETS), text('', `${M}/sign-in/backup-codes.ts`, '`${userId}:${plain}`', 'plain', SECRETS)),
  together('a TOTP seed opens in anybody’s row', text('', `${M}/sign-in/totp-secret.ts`, 'secret, `user:${userId}`)', "secret, 'user')", SECRETS), text('', `${M}/sign-in/totp-secret.ts`, 'sealed, `user:${userId}`)', "sealed, 'user')", SECRETS)),
  text('turning two-factor off leaves the backup codes', `${M}/sign-in/two-factor.ts`, '  await query(tx, sql`delete from backup_code where user_id = ${userId}`);\n', '', LIMITS, CODES),
  text('a second method is turned on over the first', `${M}/sign-in/two-factor.ts`, 'where id = ${user.id} and two_factor_method is null\n             ', 'where id = ${user.id}\n', CODES, LIMITS),
  text('a set-up that was never confirmed proves who it is', `${M}/sign-in/challenges.ts`, 'passNewest(context, user, sql`method = ${method}`,', 'passNewest(context, user, sql`true`,', CODES),
  text('turning a method on leaves what else was begun', `${M}/sign-in/two-factor.ts`, "    await endChallenges(tx, user.id, now, 'change');\n", '', CODES),
  text('two-factor is turned off twice at once', `${M}/sign-in/two-factor.ts`, '    if ((await findTwoFactorMethod(tx, user)) !== two_factor_method) throw isOff();\n', '', CODES),
  text('a method that is on is set up over by whoever has a token', `${M}/sign-in/two-factor.ts`, "if (two_factor_method === 'app') throw", "if (two_factor_method === 'none') throw", CODES),
  text('a second reset link works after a reset', `${M}/password/password-reset.ts`, '    await endResetTokens(tx, found.id, now);\n', '', LIMITS),
  text('a reset link works twice', `${M}/password/password-reset.ts`, 'where r.token_hash = ${hashResetToken(token)} and r.used_at is null\n           and', 'where r.token_hash = ${hashResetToken(token)} and', PASSWORD),
  text('a reset link works 31 minutes', `${M}/password/reset-tokens.ts`, 'reset: 30 * 60_000', 'reset: 31 * 60_000', PASSWORD, LIMITS),
  text('a reset link works 29 minutes', `${M}/password/reset-tokens.ts`, 'reset: 30 * 60_000', 'reset: 29 * 60_000', PASSWORD, LIMITS),
  text('a reset link opens a deactivated account', `${M}/password/password-reset.ts`, "case r.purpose when 'invitation' then 'invited' else 'active' end", "case r.purpose when 'invitation' then 'invited' else u.status end", LIMITS, USER_CHANGES),
  text('a reset leaves the account’s staff sessions', `${M}/password/password-reset.ts`, 'await closeSessionsOf(tx, user.id, keepSession);', '', PASSWORD, 'test/admin/account/account.test.ts', LIMITS),
  text('eleven characters are a password', 'words/limits.ts', 'PASSWORD_MIN = 12', 'PASSWORD_MIN = 11', PASSWORD),
  text('twelve characters are no password', 'words/limits.ts', 'PASSWORD_MIN = 12', 'PASSWORD_MIN = 13', PASSWORD, LIMITS),
  text('seven characters are a password beside a code', 'words/limits.ts', 'MIN_WITH_TWO_FACTOR = 8', 'MIN_WITH_TWO_FACTOR = 7', PASSWORD, LIMITS),
  text('257 characters are a password', 'words/limits.ts', 'PASSWORD_MAX = 256', 'PASSWORD_MAX = 257', POLICY),
  text('255 characters at most are a password', 'words/limits.ts', 'PASSWORD_MAX = 256', 'PASSWORD_MAX = 255', PASSWORD, LIMITS),
  text('an idle session lives a minute longer', `${M}/sign-in/sessions.ts`, 'make_interval(secs => ${idleSeconds})', 'make_interval(secs => ${idleSeconds + 60})', STAFF_LOGIN),
  text('an idle session lives a minute less', `${M}/sign-in/sessions.ts`, 'make_interval(secs => ${idleSeconds})', 'make_interval(secs => ${idleSeconds - 60})', STAFF_LOGIN),
  text('sessions never grow too old', `${M}/sign-in/sessions.ts`, 'SESSION_MAX_SECONDS = 12 * 3600', 'SESSION_MAX_SECONDS = 13 * 3600', STAFF_LOGIN),
  text('background polls keep a session alive', `${M}/sign-in/sessions.ts`, 'if (active && now', 'if (now', STAFF_LOGIN, 'test/admin/inbox/live.test.ts'),
  text('the session of a deactivated person lives on', `${M}/sign-in/sessions.ts`, "where s.id_hash = ${hashOf(id)} and u.status = 'active'", 'where s.id_hash = ${hashOf(id)}', STAFF_LOGIN),
  text('deactivating leaves the staff sessions', `${M}/people/deactivate-user.ts`, '    await closeSessionsOf(tx, userId);\n', '', USER_CHANGES, LIMITS),
  text('deactivating leaves the mailed links', `${M}/people/deactivate-user.ts`, '    await endResetTokens(tx, userId, change.now);\n', '', USER_CHANGES, LIMITS),
  text('deactivating leaves approvals with who is gone', `${M}/people/deactivate-user.ts`, "    await enqueue(tx, 'hand_on_approvals', { user_id: userId });\n", '', 'test/admin/disbursements/approvals-handed-on.test.ts'),
  text('the last who manages roles is deactivated', `${M}/people/deactivate-user.ts`, "    if (user.user_type === 'admin') await keepRoleManager(tx);\n", '', USER_CHANGES),
  text('somebody deactivates themselves', `${M}/people/deactivate-user.ts`, "    refuseOwn(userId, change, 'You can’t deactivate your own account. Ask a colleague to do it.');\n", '', USER_CHANGES),
  text('edit_users deactivates people who may do more', `${M}/people/deactivate-user.ts`, "await refuseStronger(tx, userId, change);\n    if (user.status === 'deactivated')", "if (user.status === 'deactivated')", TAKEOVER),
  text('edit_users takes two-factor off people who may do more', `${M}/people/deactivate-user.ts`, 'refuseTakeover(user, change);\n    await refuseStronger(tx, userId, change);', '', TAKEOVER, 'test/admin/people/users.test.ts'),
  text('a revoked agency key still opens', `${M}/agencies/agency-keys.ts`, 'where k.key_hash = ${hashKey(key)} and k.revoked_at is null', 'where k.key_hash = ${hashKey(key)}', MACHINES, AGENCIES),
  text('three live agency keys', `${M}/agencies/agency-keys.ts`, 'LIVE_KEYS_MAX = 2', 'LIVE_KEYS_MAX = 3', MACHINES, AGENCIES),
  text('one live agency key', `${M}/agencies/agency-keys.ts`, 'LIVE_KEYS_MAX = 2', 'LIVE_KEYS_MAX = 1', MACHINES, AGENCIES),
  text('an agency’s key is revoked at another’s page', `${M}/agencies/agency-keys.ts`, 'k.agency_id = ${agencyId} and k.id = ${keyId}', '${agencyId} > 0 and k.id = ${keyId}', AGENCIES),
  text('what an agency’s event is called holds what nobody sees', `${M}/agencies/receive-agency-event.ts`, 'const type = oneLine(event.type);', 'const { type } = event;', MACHINES),
  text('one’s own phone number is a password', `${M}/password/password-policy.ts`, "withoutPhone(plain, owner.phone ?? '')", "withoutPhone(plain, '')", POLICY),
  text('an agency reports about cases of others', `${M}/agencies/receive-agency-event.ts`, 'where id = ${case_id} and agency_id = ${agencyId}', 'where id = ${case_id} and ${agencyId} > 0', MACHINES),
  schema('one pair has two records', 'alter table user_account drop constraint user_account_email_address_user_type_key', 'test/admin/people/user-invitations.test.ts', USER_CHANGES),
  text('whoever is signed in is who they say', `${M}/sign-in/confirm-identity.ts`, 'if (isFresh(provenAt, now)) return;', 'return;', CONFIRM),
  text('a method that was turned on since proves who it is', `${M}/sign-in/two-factor.ts`, ' and (two_factor_since is null or two_factor_since < ${signedInAt})', ' and ${signedInAt}::timestamptz is distinct from now()', CONFIRM, 'test/admin/account/account.test.ts'),
  text('a method that was turned on at the sign-in proves who it is', `${M}/sign-in/two-factor.ts`, 'two_factor_since < ${signedInAt}', 'two_factor_since <= ${signedInAt}', CONFIRM),
  text('when a method was turned on is not kept', `${M}/sign-in/two-factor.ts`, 'two_factor_since = ${now}, ', "two_factor_since = ${now}::timestamptz - interval '1 day', ", CONFIRM),
  schema('the version before turns methods on at no time', 'alter table user_account disable trigger user_account_keeps_two_factor_since', CONFIRM),
  text('what is given right after signing in is not looked at', `${M}/sign-in/confirm-identity.ts`, '  const { pass_hash, code, backup_code } = proof;\n', '  const { pass_hash, code, backup_code } = proof;\n  if (isFresh(provenAt, now)) return;\n', CONFIRM),
  text('a session left open moves colleagues', 'apps/admin/people/user-form-routes.ts', 'if (isReachedElsewhere(user, record)) require', 'if (user.id === actor.user.id && isReachedElsewhere(user, record)) require', ASKED_AGAIN, 'test/admin/account/account.test.ts'),
  text('a session left open gives people another number', 'apps/admin/people/user-form-routes.ts', " || phone !== (user.phone ?? '')", '', ASKED_AGAIN, 'test/admin/account/account.test.ts'),
  text('a session left open takes two-factor off colleagues', 'apps/admin/people/user-change-routes.ts', 'if (!hasRecentProof(change.actor, now()))', 'if (change.user_id === 0 && !hasRecentProof(change.actor, now()))', ASKED_AGAIN),
  text('a session left open sets bank accounts', 'apps/admin/payments/bank-account-routes.ts', 'requireRecentProof(actor, change.now);', 'if (user_id === 0) requireRecentProof(actor, change.now);', ASKED_AGAIN),
  text('a session left open uses the bank’s corrections', 'apps/admin/payments/bank-account-routes.ts', 'if (!hasRecentProof(actor, change.now))', 'if (user_id === 0 && !hasRecentProof(actor, change.now))', ASKED_AGAIN),
  text('a session left open changes our own bank', 'apps/admin/payments/bank-profile-routes.ts', 'requireRecentProof(actor, now());', 'void requireRecentProof, now;', ASKED_AGAIN),
  text('a form that will be refused is filled in first', 'apps/admin/form/recent-proof.ts', 'if (refused !== undefined || hasRecentProof', "if (refused !== undefined || frame.path !== '' || hasRecentProof", ASKED_AGAIN),
  text('who is asked who it is loses what was typed', 'apps/admin/form/answer-form.ts', ' && known.code !== CONFIRM_IDENTITY', " && known.code !== '' && CONFIRM_IDENTITY !== ''", ASKED_AGAIN),
  text('a proof holds a minute longer', `${M}/sign-in/confirm-identity.ts`, 'const FRESH_MS = 10 * 60_000;', 'const FRESH_MS = 11 * 60_000;', CONFIRM),
  text('an address is known by others’ sign-ins', `${M}/sign-in/sign-ins.ts`, 'select from sign_in where user_id = ${userId} and', 'select from sign_in where user_id is not null and', ONE_ADDRESS, 'test/api/accounts/password.test.ts'),
  text('an address is known for ever', `${M}/sign-in/sign-ins.ts`, '\n           and signed_in_at > ${since}', '', ONE_ADDRESS, 'test/api/accounts/password.test.ts'),
  text('a link to another address lies a day longer', `${M}/people/change-address.ts`, 'const LIFETIME_MS = 3 * 24', 'const LIFETIME_MS = 4 * 24', OWN_ADDRESS, TAKEOVER),
  text('a link to another address is followed twice', `${M}/people/change-address.ts`, 'where c.token_hash = ${hashResetToken(token)} and c.confirmed_at is null and', 'where c.token_hash = ${hashResetToken(token)} and', OWN_ADDRESS, TAKEOVER),
  text('a link to another address is followed when it has expired', `${M}/people/change-address.ts`, ' and c.ended_at is null\n      and c.expires_at > ${now}`;', ' and c.ended_at is null and ${now}::timestamptz is not null`;', OWN_ADDRESS, TAKEOVER),
  text('a link of a deactivated account leads to another address', `${M}/people/change-address.ts`, "on u.id = c.user_id and u.status = 'active'\n", 'on u.id = c.user_id\n', OWN_ADDRESS, TAKEOVER),
  text('links to the address before still set a password', `${M}/people/change-address.ts`, '    await endResetTokens(tx, user.id, now);\n', '', OWN_ADDRESS, TAKEOVER),
  text('codes that went to the address before still sign in', `${M}/people/change-address.ts`, '    await endChallenges(tx, user.id, now);\n', '', OWN_ADDRESS, TAKEOVER),
  text('a runner that says never that it has ended is waited for', 'apps/worker/keep-running.ts', 'Promise.race([stopped, reported])', 'Promise.race([stopped])', 'test/worker/reconnect.test.ts'),
];
