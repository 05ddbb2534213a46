import { text } from './write.mjs';

const API = 'test/api/server/limits.test.ts';
const STAFF = 'test/admin/limits.test.ts';
const MAILS = 'test/worker/mail-turns.test.ts';
const ADDRESS = 'test/api/accounts/own-address.test.ts';
const CONTACTS = 'test/admin/people/contact-parts.test.ts';
const TEXTS = 'test/worker/sms.test.ts';
const COUNTER = 'lib/call-counter.ts';
const TURN = 'modules/notifications/email/mail-turn.ts';

/** Who asks too often, and who may be found by what. */
// biome-ignore format: a mutant a line
export const LIMITS = [
  text('the API counts no addresses', 'apps/api/server.ts', "    countCall: (ip) => context.calls.count('calls_address', networkOf(ip)),\n", '', API),
  text('the staff application counts no addresses', 'apps/admin/server.ts', "    countCall: (ip) => context.calls.count('calls_address', networkOf(ip)),\n", '', STAFF),
  text('the API counts no people', 'apps/api/guards/guards.ts', 'await calls.count(\'calls_person\', `user:${found.id}`);\n', '', API),
  text('the API counts no agencies', 'apps/api/guards/guards.ts', 'await calls.count(\'calls_person\', `agency:${agency.id}`);\n', '', API),
  text('the staff application counts no people', 'apps/admin/guards/visitors.ts', 'await calls.count(\'calls_person\', `user:${user.id}`);\n', '', STAFF),
  text('replies of staff are not counted', 'apps/admin/inbox/message-routes.ts', "await context.calls.count('messages', String(actor.user.id));\n", '', STAFF),
  text('new conversations of staff are not counted', 'apps/admin/inbox/new-chain-routes.ts', "await context.calls.count('messages', String(actor.user.id));\n", '', STAFF),
  text('probes are counted', 'lib/http-server.ts', 'if (countCall !== undefined && isUncounted !== true)', 'if (countCall !== undefined)', API, STAFF),
  text('styles are counted', 'apps/admin/assets/asset-routes.ts', ', isUncounted: true }', ' }', STAFF),
  text('one call more than the limit', COUNTER, 'if (before + place > most) refuse();', 'if (before + place > most + 1) refuse();', API),
  text('one call fewer than the limit', COUNTER, 'if (before + place > most) refuse();', 'if (before + place >= most) refuse();', API),
  text('each process counts alone', COUNTER, 'row.count.reported = counted.get(row.subject) ?? row.count.reported;', '', API),
  text('a minute never ends', COUNTER, 'case when c.minute < excluded.minute then excluded.calls else c.calls + excluded.calls end', 'c.calls + excluded.calls', API),
  text('every call waits for the database', COUNTER, 'if (count.isShared && count.reported + place <= most / 2) return;', '', API),
  text('a counter that fails, fails calls', COUNTER, '      (error) => this.#note(error, null),\n', '', API),
  text('each address of an IPv6 network is another', 'lib/http/network.ts', '.slice(0, 4)', '.slice(0, 8)', API, 'lib/http/network.test.ts'),
  text('a link that was followed opens no new place', 'modules/accounts/sign-in/sign-ins.ts', 'select from password_reset where user_id = ${userId} and', 'select from password_reset where user_id = ${-userId} and', API),
  text('a link that was followed opens a place for ever', 'modules/accounts/sign-in/sign-ins.ts', '\n           and used_at > ${since}', '', API),
  text('one address asks for any number of links', 'apps/api/accounts/auth-routes.ts', "      await context.throttle.consume('reset_address', networkOf(request.ip));\n", '', API),
  text('codes of proofs of funds may be guessed', 'apps/api/statements/proof-routes.ts', "      await context.throttle.consume('proof_code', network);\n", '', 'test/api/statements/proof-of-funds.test.ts'),
  text('mails that protect an account wait', TURN, 'isSecurityEvent(mail.event) || ', '', MAILS),
  text('mails that protect an account count', TURN, ' and event <> all(${SECURITY_EVENTS})', '', MAILS),
  text('one mail more in an hour', TURN, 'offset ${most - 1}', 'offset ${most}', MAILS),
  text('another spelling of an address has mails of its own', TURN, 'lower(recipient) = lower(${recipient}) and', 'recipient = ${recipient} and', MAILS),
  text('a first message that waits is never mailed about', 'modules/messaging/mail-messages.ts', 'to_timestamp(0), ${id - 1})', 'to_timestamp(0), ${id})', MAILS),
  text('a code for another number turns texts on', 'modules/accounts/sign-in/two-factor.ts', "case ${method} when 'sms' then phone when 'email' then email_address end\n                 is not distinct from ${sent_to}", '(${sent_to}::text is null or true)', 'test/api/accounts/two-factor-settings.test.ts'),
  text('a link goes to an address that somebody else has', 'modules/accounts/people/change-address.ts', 'if (!(await isTaken(tx, user, address))) await mails.sendLink', 'await mails.sendLink', ADDRESS),
  text('any number of links to other addresses', 'modules/accounts/people/change-address.ts', "  await throttle.consume('address_link', String(id));\n", '', ADDRESS),
  text('any number of other phone numbers', 'modules/accounts/people/update-profile.ts', "  if (await changesPhone(db, user, change)) await throttle.consume('phone_change', String(user.id));\n", '', ADDRESS),
  text('a number that is there already counts', 'modules/accounts/people/update-profile.ts', 'if (await changesPhone(db, user, change)) await throttle', 'await throttle', ADDRESS),
  text('six other phone numbers in an hour', 'modules/accounts/sign-in/throttle.ts', 'phone_change: { points: 5,', 'phone_change: { points: 6,', ADDRESS),
  text('four other phone numbers in an hour', 'modules/accounts/sign-in/throttle.ts', 'phone_change: { points: 5,', 'phone_change: { points: 4,', ADDRESS),
  text('any number of other bank accounts', 'apps/api/disbursements/bank-account-routes.ts', "  await throttle.consume('account_change', subject);\n", '', ADDRESS),
  text('a bank account that is refused counts', 'apps/api/disbursements/bank-account-routes.ts', "if (after?.id === before?.id) await throttle.giveBack('account_change', subject);", '', ADDRESS),
  text('31 other bank accounts in an hour', 'modules/accounts/sign-in/throttle.ts', 'account_change: { points: 30,', 'account_change: { points: 31,', ADDRESS),
  text('29 other bank accounts in an hour', 'modules/accounts/sign-in/throttle.ts', 'account_change: { points: 30,', 'account_change: { points: 29,', ADDRESS),
  text('eleven texts to a number in a day', 'modules/notifications/sms/queue-sms.ts', 'TEXTS_A_DAY = 10', 'TEXTS_A_DAY = 11', TEXTS),
  text('nine texts to a number in a day', 'modules/notifications/sms/queue-sms.ts', 'TEXTS_A_DAY = 10', 'TEXTS_A_DAY = 9', TEXTS),
  text('a number that was texted too often never is again', 'modules/notifications/sms/queue-sms.ts', " and d.created_at > now() - interval '1 day'\n", '\n', TEXTS),
  text('texts to all numbers count together', 'modules/notifications/sms/queue-sms.ts', 'and d.recipient = ${phone} and', 'and ${phone}::text is not null and', TEXTS),
  text('who has proved a number is held back', 'modules/notifications/sms/queue-sms.ts', 'and u.confirmed_phone = ${phone})', 'and u.confirmed_phone is null and ${phone} is null)', TEXTS),
  text('a code that is not sent is promised', 'modules/notifications/email/account-mails.ts', '    if (freeAt === null) return;\n    throw', '    if (freeAt === null || freeAt) return;\n    throw', TEXTS),
  text('another address is not told at the present one', 'modules/accounts/people/change-address.ts', 'await mails.sendLink(tx, user, { address, token });\n    await mails.announce(tx, user, { address });', 'await mails.sendLink(tx, user, { address, token });', ADDRESS),
  text('people are found by an address that is hidden', 'apps/admin/people/user-routes.ts', 'listUsers(db, { ...query, byAddress })', 'listUsers(db, { ...query, byAddress: true })', CONTACTS),
  text('cases are found by an address that is hidden', 'modules/cases/search-cases.ts', '(${maySee} or', '(${maySee} is not null or', CONTACTS),
  text('deliveries are found by a person who is hidden', 'apps/admin/deliveries/delivery-routes.ts', 'maySeeContacts(reading.actor(request)) ? request.query : rest', 'maySeeContacts(reading.actor(request)) ? request.query : { ...rest, person, user_id }', CONTACTS),
];
