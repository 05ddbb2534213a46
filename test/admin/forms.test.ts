import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { CASE_1 } from '../support/cast.ts';
import { bringTo, draft } from '../support/money.ts';
import { returnFile } from '../support/return-file.ts';
import { BANK, gather, openDesk, releaseBatch, step, takeIn } from './batches/batches-desk.ts';
import { messagesDesk } from './inbox/messages-desk.ts';
import type { Page, Visitor } from './start-admin.ts';

const { api, admin, surrogate, parent, root, finance, viewer, approved, putAccount } = await openDesk();
const chains = await messagesDesk(admin);

const idOf = async (statement: string): Promise<number> => Number((await api.pool.query(statement)).rows[0]?.id);
const pathOf = ({ location }: Page) => (location ?? '').split('?', 1)[0] ?? '';

await putAccount(surrogate);
assert.equal((await root.post('/batches/bank', BANK)).status, 303);
const ofSurrogate = { payee: { user_type: 'surrogate', user_id: surrogate.userId } };
const draftId = (await draft(await api.as('root'), ofSurrogate)).id;
const submittedId = await bringTo(api, { maker: surrogate, checker: parent }, 'submitted');
const returned = `/disbursements/${await bringTo(api, { maker: surrogate, checker: parent }, 'returned')}`;
const batch = await gather(finance, [await approved()]);
const sentBatch = await releaseBatch(finance, root, [await approved()]);
const paidBatch = await releaseBatch(finance, root, [await approved()]);
await step(root, paidBatch, 'outcome', { outcome: 'accepted', note: 'Confirmed' });
await approved();
const returns = pathOf(await takeIn(finance, returnFile([{ code: 'R01', trace: '091000010000001', cents: 100 }])));
assert.equal((await root.post(`/cases/${CASE_1}/money`, { kind: 'deposit', amount: '10', memo: '' })).status, 303);
const entryId = await idOf('select max(id) as id from cash_entry');
const chain = `/messages/${await chains.receive('Hello')}`;
const surrogateId = await idOf("select id from user_account where email_address = 'surrogate@demo.test'");
const viewerId = await idOf("select id from user_account where email_address = 'viewer@demo.test'");
const agencyId = await idOf('select id from agency limit 1');
const roleId = await idOf('select id from admin_role order by id desc limit 1');

const MONEY = `/cases/${CASE_1}/money`;
const EDIT = `/cases/${CASE_1}/edit`;
const PERSON = { email_address: 'new@demo.test', user_type: 'ip', first_name: 'New', last_name: 'Person' };

const { version: _, ...bank } = BANK;
/** Used as a password or an account number, which no page may show again. */
const SECRET = 'Wr0ngSecret98765';

type Fields = Record<string, string | string[]>;

/** The form that was filled in last: its address, what was typed, and the page before it was sent. */
let filled: { action: string; fields: Fields; page: Page } | undefined;
/** Fills in a form of a page as a browser would. */
const fill = async (path: string, action: string, fields: Fields, who: Visitor = root) => {
  const page = await who.get(path);
  filled = { action, fields, page };
  return who.fill(page, action, fields);
};
/** Sends a form that takes files. */
const upload = async (path: string, action: string, fields: Fields) => {
  filled = { action, fields, page: await root.get(path) };
  return root.upload(action, fields);
};

async function beginTwoFactor(methodBefore: 'email' | null): Promise<void> {
  await api.pool.query('update user_account set two_factor_method = $2 where id = $1', [viewerId, methodBefore]);
  assert.equal((await viewer.post('/account/two-factor', { method: 'email' })).status, 303);
}

/** Each form with an invalid field: the field beside which the error appears, and how the form is sent. */
const FORMS: [form: string, field: string, send: () => Promise<Page>, typed?: string][] = [
  ['/login/otp', 'code', () => atCodeStep('12')],
  ['/account/password', 'current_password', () => fill('/account', '/account/password', passwords(SECRET))],
  ['/account/password', 'new_password', () => fill('/account', '/account/password', passwords('Demo-Passw0rd!'))],
  ['/account/confirm', 'password', () => fill('/account/confirm', '/account/confirm', { password: SECRET })],
  [
    '/account/two-factor/confirm',
    'code',
    async () => {
      await beginTwoFactor(null);
      return fill('/account/two-factor', '/account/two-factor/confirm', { code: '12' }, viewer);
    },
  ],
  [
    '/account/two-factor/off',
    'code',
    async () => {
      await beginTwoFactor('email');
      return fill('/account/two-factor', '/account/two-factor/off', { code: '12' }, viewer);
    },
  ],
  [
    '/messages',
    'message',
    () => upload('/messages/new?case_id=1', '/messages', { ...to(), subject: 'Kept subject' }),
    'Kept subject',
  ],
  [
    '/messages',
    'recipients',
    () => upload('/messages/new?case_id=1', '/messages', { case_id: '1', message: 'Kept text' }),
    'Kept text',
  ],
  ['/messages/:chain_id', 'message', () => upload(chain, chain, { message: ' ' })],
  ['/messages/:chain_id/notes', 'note', () => fill(chain, `${chain}/notes`, { note: ' ' })],
  ['/messages/:chain_id/assign', 'admin_id', () => fill(chain, `${chain}/assign`, { admin_id: `${surrogateId}` })],
  ['/cases', 'name', () => fill('/cases/new', '/cases', { name: '@Kept name', agency_id: '' }), '@Kept name'],
  ['/cases/:case_id', 'close_due_on', () => fill(EDIT, `/cases/${CASE_1}`, details()), 'Kept name'],
  ['/cases/:case_id/status', 'status', () => fill(EDIT, `/cases/${CASE_1}/status`, { status: 'gone' })],
  [
    '/cases/:case_id/escrow-specialist',
    'admin_id',
    () => fill(EDIT, `/cases/${CASE_1}/escrow-specialist`, { admin_id: `${surrogateId}` }),
  ],
  ['/cases/:case_id/team', 'admin_id', () => fill(EDIT, `/cases/${CASE_1}/team`, { admin_id: '' })],
  [
    '/cases/:case_id/people',
    'email_address',
    () => fill(EDIT, `/cases/${CASE_1}/people`, { email_address: 'nobody@demo.test', user_type: 'ip' }),
    'nobody@demo.test',
  ],
  ['/cases/:case_id/milestones', 'happened_on', () => milestone({ happened_on: '2020-13-01' }), 'Kept note'],
  ['/cases/:case_id/milestones', 'funding_required', () => milestone({ funding_required: 'much' }), 'much'],
  ['/cases/:case_id/benefits', 'category', () => benefit({ category: '' }), 'Kept note'],
  ['/cases/:case_id/benefits', 'cap', () => benefit({ cap: 'much' }), 'much'],
  ['/cases/:case_id/benefits/change', 'cap', () => changedBenefit({ cap: 'less' }), 'less'],
  ['/cases/:case_id/money', 'amount', () => fill(MONEY, MONEY, { kind: 'refund', amount: '1,2', memo: 'Kept memo' }), '1,2'],
  ['/cases/:case_id/money', 'kind', () => fill(MONEY, MONEY, { kind: '', amount: '1', memo: 'Kept memo' }), 'Kept memo'],
  ['/cases/:case_id/money/:entry_id/refuse', 'reason', () => fill(MONEY, `${MONEY}/${entryId}/refuse`, { reason: ' ' })],
  ['/cases/:case_id/scheduled-payments', 'due_date', () => planned({ due_date: 'soon' }), 'Kept category'],
  ['/cases/:case_id/scheduled-payments', 'amount', () => planned({ amount: '' }), 'Kept category'],
  ['/cases/:case_id/disbursements', 'amount', () => written({ amount: 'much' }), 'Kept reason'],
  ['/cases/:case_id/disbursements', 'payee', () => written({ payee: '' }), 'Kept reason'],
  [
    '/disbursements/:disbursement_id',
    'category',
    () =>
      fill(`/disbursements/${draftId}/edit`, `/disbursements/${draftId}`, {
        amount: '12.50',
        category: '',
        description: 'Kept reason',
        payee: `surrogate:${surrogateId}`,
      }),
    'Kept reason',
  ],
  ['/disbursements/:disbursement_id/approve', 'reason', () => approvedOver({ reason: ' ' })],
  [
    '/disbursements/:disbursement_id/deny',
    'reason',
    () => fill(`/disbursements/${submittedId}`, `/disbursements/${submittedId}/deny`, { reason: ' ' }),
  ],
  ['/batches', 'disbursement_ids', () => fill('/batches/new', '/batches', {})],
  [
    '/disbursements/:disbursement_id/question',
    'text',
    () => fill(`/disbursements/${submittedId}`, `/disbursements/${submittedId}/question`, { text: ' ' }),
  ],
  [
    '/disbursements/:disbursement_id/alarm',
    'text',
    () => fill(`/disbursements/${submittedId}`, `/disbursements/${submittedId}/alarm`, { text: ' ' }),
  ],
  ['/disbursements/:disbursement_id/clear-payments', 'reason', () => clearedWithout()],
  ['/disbursements/:disbursement_id/retry', 'reason', () => fill(returned, `${returned}/retry`, { reason: ' ' })],
  ['/disbursements/:disbursement_id/end', 'reason', () => fill(returned, `${returned}/end`, { reason: ' ' })],
  ['/batches/:batch_id/settle', 'reason', () => fill(paidBatch, `${paidBatch}/settle`, { reason: ' ' })],
  ['/batches/:batch_id/cancel', 'reason', () => fill(batch, `${batch}/cancel`, { reason: ' ' })],
  ['/batches/:batch_id/outcome', 'note', () => fill(sentBatch, `${sentBatch}/outcome`, { outcome: 'accepted', note: ' ' })],
  [
    '/batches/bank',
    'routing_number',
    () => fill('/batches/bank', '/batches/bank', { ...bank, routing_number: '123456789' }),
    'First Example Bank',
  ],
  ['/batches/returns', 'files', () => upload('/batches/returns', '/batches/returns', {})],
  ['/batches/returns/:file_id/refuse', 'reason', () => fill(returns, `${returns}/refuse`, { reason: ' ' })],
  [
    '/bank-accounts/:user_id',
    'routing_number',
    () =>
      fill(`/bank-accounts/${surrogateId}`, `/bank-accounts/${surrogateId}`, {
        holder_name: 'Kept Holder',
        routing_number: '1',
        account_number: SECRET,
        account_kind: 'savings',
      }),
    'Kept Holder',
  ],
  ['/users', 'last_name', () => fill('/users/new', '/users', { ...PERSON, last_name: '' }), 'new@demo.test'],
  [
    '/users/:user_id',
    'phone',
    () => fill(`/users/${surrogateId}/edit`, `/users/${surrogateId}`, { ...PERSON, phone: 'none' }),
    'none',
  ],
  [
    '/users/:user_id/role',
    'admin_role_id',
    () => fill(`/users/${viewerId}`, `/users/${viewerId}/role`, { admin_role_id: '999999' }),
  ],
  ['/agencies', 'name', () => fill('/agencies', '/agencies', { name: '@Kept' }), '@Kept'],
  [
    '/agencies/:agency_id/name',
    'name',
    () => fill(`/agencies/${agencyId}`, `/agencies/${agencyId}/name`, { name: '@Kept' }),
    '@Kept',
  ],
  ['/roles', 'name', () => fill('/roles', '/roles', { name: '@Kept' }), '@Kept'],
  ['/roles/:role_id/name', 'name', () => fill(`/roles/${roleId}`, `/roles/${roleId}/name`, { name: '@Kept' }), '@Kept'],
  [
    '/roles/:role_id/permissions',
    'permissions',
    () => fill(`/roles/${roleId}`, `/roles/${roleId}/permissions`, { permissions: 'fly' }),
  ],
];

/** Buttons without fields, calls of scripts, and the sign-in form, which must not say which field is wrong. */
const WITHOUT_FIELDS = [
  '/login',
  '/login/otp/resend',
  '/logout',
  '/account/sessions/close-others',
  '/account/two-factor',
  ...['viewed', 'unread', 'writing', 'status', 'people/:user_id/remove', 'messages/:message_id/retract'].map(
    (path) => `/messages/:chain_id/${path}`,
  ),
  ...['close', 'team/:user_id/remove', 'people/:user_id/remove', 'money/:entry_id/confirm', 'benefits/remove'].map(
    (path) => `/cases/:case_id/${path}`,
  ),
  '/cases/:case_id/scheduled-payments/:payment_id/cancel',
  '/cases/:case_id/proofs/:proof_id/withdraw',
  '/cases/:case_id/account-changes/approve',
  ...['upload-url', 'confirm', ':document_id/remove'].map((path) => `/cases/:case_id/documents/${path}`),
  ...['submit', 'cancel', 'files/upload-url', 'files/confirm', 'files/:file_id/remove'].map(
    (path) => `/disbursements/:disbursement_id/${path}`,
  ),
  ...['approve', 'remove', 'unblock', 'generate', 'sign', 'hand-out'].map((path) => `/batches/:batch_id/${path}`),
  '/batches/returns/:file_id/confirm',
  '/bank-accounts/:user_id/correction',
  ...['resend-invitation', 'deactivate', 'reactivate', 'reset-two-factor'].map((path) => `/users/:user_id/${path}`),
  ...['keys', 'keys/:key_id/revoke'].map((path) => `/agencies/:agency_id/${path}`),
  '/roles/:role_id/delete',
  '/roles/grants/:grant_id/confirm',
  '/roles/grants/:grant_id/refuse',
  '/deliveries/:delivery_id/retry',
  '/deliveries/jobs/:job_id/retry',
  '/deliveries/suppressions/:suppression_id/lift',
];

/** The number of forms beside a rejected one that were compared. */
let neighbors = 0;
/** The number of typed values that were shown again. */
let typedAgain = 0;

describe('a form that is rejected', () => {
  for (const [form, field, send, typed = ''] of FORMS) {
    test(`[PAGE-2] ${form} says what is wrong beside the field ${field}, keeps what was typed, and changes no other form`, async () => {
      filled = undefined;
      const page = await send();
      assert.ok([401, 409, 422].includes(page.status), `${page.status} ${page.location}`);
      assert.notEqual(errorBeside(page, field), '', `nothing stands beside ${field}`);
      assert.match(page.text, /<div class="notice is-error" role="alert">/, 'nothing stands over the form');
      assert.ok(page.text.includes(typed), `${typed} was typed`);
      assert.ok(!page.text.includes(SECRET), 'a secret is not shown again');
      assertSameForm(page, field);
      assertOthersUnchanged(page);
    });
  }

  test('[PAGE-2] words typed into one of two forms with the same field appear in that form only', async () => {
    const stale = { version: 'stale' };
    for (const [page, ...actions] of [
      [returned, 'retry', 'end'],
      [`/disbursements/${submittedId}`, 'deny', 'question', 'alarm'],
    ] as const)
      for (const action of actions) {
        const words = `Typed to ${action}`;
        const tooLong = `${words} ${'x'.repeat(20_000)}`;
        const field = action === 'question' || action === 'alarm' ? 'text' : 'reason';
        const answer = await fill(page, `${page}/${action}`, { ...stale, [field]: field === 'text' ? tooLong : words });
        assert.ok([409, 422].includes(answer.status), `${action}: ${answer.status}`);
        assert.ok(formsIn(answer).get(`${page}/${action}`)?.join().includes(words), action);
        assertOthersUnchanged(answer);
      }
    assert.ok(neighbors > 50, `only ${neighbors} forms were compared`);
    assert.ok(typedAgain > 50, `only ${typedAgain} values were compared`);
  });

  test('[PAGE-2] every form of the application is in this table, or has no field to fill in', () => {
    const posts = admin.guardedRoutes.filter(({ method }) => method === 'POST').map(({ url }) => url);
    const covered = [...new Set(FORMS.map(([form]) => form)), ...WITHOUT_FIELDS];
    assert.deepEqual([...new Set(posts)].sort(), covered.sort());
  });
});

/** Returns the forms of a page by their addresses, without what differs each time, and shown or hidden behind a tab alike. */
function formsIn({ text }: Page): Map<string, string[]> {
  const forms = [...text.matchAll(/<form\b[^>]*action="([^"]+)"[\s\S]*?<\/form>/g)];
  const byAction = Map.groupBy(forms, ([, action = '']) => action);
  const steady = (form: string) =>
    form.replace(/^(<form\b[^>]*?) hidden>/, '$1>').replaceAll(/(name="(?:_csrf|idempotency_key)" value=)"[^"]*"/g, '$1""');
  return new Map([...byAction].map(([action, sameAction]) => [action, sameAction.map(([form]) => steady(form))]));
}

/** Requires that the rejected form is sent to the same address as before, with the same hidden fields and with what was typed. */
function assertSameForm(page: Page, field: string): void {
  assert.ok(filled !== undefined, 'nothing was filled in');
  const { action, fields } = filled;
  const form = formsIn(page)
    .get(action)
    ?.find((one) => controlsIn(one).some(({ name, tag }) => name === field && tag.includes('aria-invalid="true"')));
  assert.ok(form !== undefined, `no form with ${field} is sent to ${action}`);
  assert.doesNotMatch(page.text, new RegExp(`<form\\b[^>]*action="${action}"[^>]* hidden>`), 'the form is behind a tab');
  const controls = controlsIn(form);
  const hiddenIn = (one: string) =>
    [...one.matchAll(/type="hidden" (name="[^"]+" value="[^"]*")/g)].map(([, nameAndValue]) => nameAndValue).sort();
  const before = formsIn(filled.page).get(action)?.map(hiddenIn) ?? [];
  assert.ok(
    before.some((hidden) => isDeepStrictEqual(hidden, hiddenIn(form))),
    `hidden fields: ${hiddenIn(form)}`,
  );
  for (const [name, value] of Object.entries(fields).flatMap(([key, values]) =>
    [values].flat().map((one) => [key, one] as const),
  )) {
    const control = controls.filter((one) => one.name === name && !/type="password"|"one-time-code"/.test(one.tag));
    // Only what a control shows is compared: no secrets, codes, blanks, and no choices that it does not offer.
    if (value === SECRET || value.trim() === '' || control.length === 0) continue;
    const offered = control.flatMap(({ choices }) => choices ?? [value]);
    if (!offered.includes(value)) continue;
    assert.ok(
      control.some(({ values }) => values.includes(value)),
      `${name} shows ${control.map(({ values }) => values)}, not ${value}`,
    );
    typedAgain += 1;
  }
}

/** Returns the controls of a form with the values that they show, and the choices that they offer. */
function controlsIn(form: string): { name: string; tag: string; values: string[]; choices?: string[] }[] {
  const tags = form.matchAll(/(<input\b[^>]*>)|(<textarea\b[^>]*>)([^<]*)<\/textarea>|(<select\b[^>]*>)([\s\S]*?)<\/select>/g);
  return [...tags].map(([, input, textarea, text = '', select, options = '']) => {
    const tag = input ?? textarea ?? select ?? '';
    const name = attribute(tag, 'name');
    if (textarea !== undefined) return { name, tag, values: [plain(text)] };
    if (input !== undefined) {
      const value = attribute(tag, 'value');
      if (!/type="(radio|checkbox)"/.test(tag)) return { name, tag, values: [value] };
      return { name, tag, values: / checked\b/.test(tag) ? [value] : [], choices: [value] };
    }
    const optionTags = [...options.matchAll(/<option\b[^>]*>/g)].map(([option]) => option);
    const selected = optionTags.filter((option) => / selected\b/.test(option));
    const valuesOf = (some: string[]) => some.map((option) => attribute(option, 'value'));
    return { name, tag, values: valuesOf(selected), choices: valuesOf(optionTags) };
  });
}

const attribute = (tag: string, name: string) => plain(new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? '');
const plain = (text: string) => text.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)));

/** Requires that forms beside the rejected one look as they did before it was sent. */
function assertOthersUnchanged(page: Page): void {
  if (filled === undefined) return;
  const after = formsIn(page);
  for (const [action, forms] of formsIn(filled.page)) {
    if (action === filled.action || !after.has(action)) continue;
    assert.deepEqual(after.get(action), forms, `${action}, after ${filled.action} was rejected`);
    neighbors += 1;
  }
}

/** Returns the error of a field, from the element that describes it. */
function errorBeside({ text }: Page, field: string): string {
  const control = [...text.matchAll(/<(?:input|select|textarea)\b[^>]*>/g)]
    .map(([tag]) => tag)
    .find((tag) => tag.includes(`name="${field}"`) && tag.includes('aria-invalid="true"'));
  const ids = /aria-describedby="([^"]+)"/.exec(control ?? '')?.[1]?.split(' ') ?? [];
  const said = ids.map((id) => new RegExp(`<span class="field-error" id="${id}">([^<]+)</span>`).exec(text)?.[1]);
  return said.find((words) => words !== undefined) ?? '';
}

async function atCodeStep(code: string): Promise<Page> {
  const visitor = admin.visitor();
  await visitor.signIn('mailotp@demo.test', 'Demo-Passw0rd!', 'ip');
  return fill('/login/otp', '/login/otp', { code }, visitor);
}

function passwords(current_password: string) {
  return { current_password, new_password: 'short' };
}

function to() {
  return { case_id: `${CASE_1}`, recipients: [`surrogate:${surrogateId}`], message: ' ' };
}

function details() {
  return { name: 'Kept name', agency_id: '', approver_id: '', close_due_on: 'soon' };
}

function milestone(wrong: Record<string, string>): Promise<Page> {
  const fields = { kind: 'matched', happened_on: '2026-11-02', note: 'Kept note', funding_required: '' };
  return fill(`/cases/${CASE_1}`, `/cases/${CASE_1}/milestones`, { ...fields, ...wrong });
}

function benefit(wrong: Record<string, string>): Promise<Page> {
  const fields = { category: 'Travel', cap: '1,000', period: 'case', note: 'Kept note' };
  return fill(`/cases/${CASE_1}`, `/cases/${CASE_1}/benefits`, { ...fields, ...wrong });
}

function changedBenefit(wrong: Record<string, string>): Promise<Page> {
  return fill(`/cases/${CASE_1}`, `/cases/${CASE_1}/benefits/change`, { category: 'Travel', period: 'case', ...wrong });
}

async function approvedOver(fields: Record<string, string>): Promise<Page> {
  await api.pool.query("update case_benefit set cap_cents = 1 where lower(category) = 'travel'");
  return fill(`/disbursements/${submittedId}`, `/disbursements/${submittedId}/approve`, fields);
}

function planned(wrong: Record<string, string>): Promise<Page> {
  const fields = { category: 'Kept category', description: '', amount: '1', due_date: '2026-12-01', payee_id: '' };
  return fill(MONEY, `/cases/${CASE_1}/scheduled-payments`, { ...fields, ...wrong });
}

function written(wrong: Record<string, string>): Promise<Page> {
  const fields = { amount: '1', category: 'Travel', description: 'Kept reason', payee: `surrogate:${surrogateId}` };
  return fill(`/cases/${CASE_1}/disbursements/new`, `/cases/${CASE_1}/disbursements`, { ...fields, ...wrong });
}

/** Sends the form that clears a stop of payments without a reason. */
async function clearedWithout(): Promise<Page> {
  await api.pool.query(
    `insert into payment_stop (payee_id, case_id, disbursement_id, raised_by, raised_at, reason)
     select payee_id, case_id, id, approver_id, now(), 'Odd' from disbursement_request where id = $1`,
    [submittedId],
  );
  const page = await fill(`/disbursements/${submittedId}`, `/disbursements/${submittedId}/clear-payments`, { reason: ' ' });
  await api.pool.query('delete from payment_stop');
  return page;
}
