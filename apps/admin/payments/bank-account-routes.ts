import { ChangedError, NotFoundError } from '@case-platform/lib/errors';
import { findActiveUserById } from '@case-platform/modules/accounts';
import {
  type BankAccountInput,
  type BankProfileInput,
  findBankAccount,
  findBankProfile,
  findCorrection,
  setBankAccount,
  setBankProfile,
  useCorrection,
} from '@case-platform/modules/banking';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { markRefused, refusalOf } from '../form/refusal.ts';
import { Id } from '../form/schemas.ts';
import { changedBy } from '../guards/changed-by.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { readFrame } from '../page/frame.ts';
import { sendPage } from '../page/send-page.ts';
import { bankAccountPage } from './bank-account-page.ts';
import { bankProfilePage } from './bank-profile-page.ts';

const params = Type.Object({ user_id: Id });
const querystring = Type.Object({ done: Type.Optional(Type.String({ maxLength: 20 })) });
const Line = Type.String({ maxLength: 200, default: '' });
const Kind = Type.Unsafe<'checking' | 'savings'>({
  type: 'string',
  enum: ['checking', 'savings'],
  default: 'checking',
});
const Ticked = Type.Optional(Type.Literal('yes'));
const Version = Type.String({ minLength: 1, maxLength: 100 });
const SeenForm = Type.Object({ version: Version });
const AccountForm = Type.Object({
  version: Version,
  holder_name: Line,
  routing_number: Line,
  account_number: Line,
  account_kind: Kind,
});
const ProfileForm = Type.Object({
  version: Version,
  ...{ routing_number: Line, bank_name: Line, immediate_origin: Line, company_name: Line, company_id: Line },
  ...{ entry_description: Line, same_day: Ticked, with_notes: Ticked, balanced: Ticked },
  ...{ offset_routing_number: Line, offset_account_number: Line, offset_account_kind: Kind },
});
const DONE = new Map([
  [
    'set',
    'The account is noted. When it is a change, the owner was told, and it is used after 48 hours at the earliest.',
  ],
  ['bank', 'Our bank is noted.'],
]);

/** Bank accounts: of the people who are paid, and our own bank. */
export function bankAccountRoutes(server: AdminServer): void {
  personRoutes(server);
  profileRoutes(server);
}

function personRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const { now = () => new Date() } = context;
  const reading = guards.pageGuard({ user_types: ['admin'], perm_check: ['view_bank_accounts', 'edit_bank_accounts'] });
  const editing = guards.apiGuard({ user_types: ['admin'], perm_check: 'edit_bank_accounts' });

  app.get(
    '/bank-accounts/:user_id',
    { config: { guard: reading }, schema: { params, querystring } },
    async (request, reply) => {
      const said = { done: DONE.get(request.query.done ?? '') };
      return sendPage(
        reply,
        await drawAccount(server, request, reading.actor(request), { ...request.params, ...said }),
      );
    },
  );

  app.post(
    '/bank-accounts/:user_id',
    { config: { guard: editing }, schema: { params, body: AccountForm } },
    (request, reply) => {
      const step = { request, reply, actor: editing.actor(request), ...request.params, values: request.body };
      const how = { by: changedBy(request, step.actor), now: now(), version: request.body.version };
      return change(server, step, () => setBankAccount(context, step.user_id, request.body, how));
    },
  );

  app.post(
    '/bank-accounts/:user_id/correction',
    { config: { guard: editing }, schema: { params, body: SeenForm } },
    (request, reply) => {
      const step = { request, reply, actor: editing.actor(request), ...request.params };
      const how = { by: changedBy(request, step.actor), now: now(), version: request.body.version };
      return change(server, step, () => useCorrection(context, step.user_id, how));
    },
  );
}

interface Step {
  request: FastifyRequest;
  reply: FastifyReply;
  actor: StaffActor;
  user_id: number;
  values?: BankAccountInput;
}

async function change(server: AdminServer, step: Step, work: () => Promise<unknown>): Promise<FastifyReply> {
  const { request, reply, actor, user_id, values } = step;
  try {
    await work();
    return reply.redirect(`/bank-accounts/${user_id}?done=set`, 303);
  } catch (error) {
    const refusal = refusalOf(error);
    const page = await drawAccount(server, request, actor, { user_id, values, problem: refusal.words });
    return sendPage(markRefused(reply, refusal), page);
  }
}

/** @throws {NotFoundError} for nobody who is paid. */
async function drawAccount(
  { context }: AdminServer,
  request: FastifyRequest,
  actor: StaffActor,
  {
    user_id,
    ...said
  }: { user_id: number; values?: BankAccountInput | undefined; problem?: string; done?: string | undefined },
): Promise<string> {
  const { db } = context;
  const mayView = actor.admin.can('view_bank_accounts');
  const [owner, account, correction, frame] = await Promise.all([
    findActiveUserById(db, user_id),
    findBankAccount(db, user_id),
    mayView ? findCorrection(context, user_id) : null,
    readFrame(context, request, actor),
  ]);
  if (owner === null || owner.user_type === 'admin') throw new NotFoundError();
  return bankAccountPage(frame, { owner, account, correction, ...said });
}

function profileRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const reading = guards.pageGuard({ user_types: ['admin'], perm_check: 'edit_bank_accounts' });
  const editing = guards.apiGuard({ user_types: ['admin'], perm_check: 'edit_bank_accounts' });
  const draw = async (
    request: FastifyRequest,
    actor: StaffActor,
    said: { values?: BankProfileInput; problem?: string; done?: string | undefined },
  ) => {
    const [profile, frame] = await Promise.all([findBankProfile(context.db), readFrame(context, request, actor)]);
    return bankProfilePage(frame, { profile, ...said });
  };

  app.get('/batches/bank', { config: { guard: reading }, schema: { querystring } }, async (request, reply) =>
    sendPage(reply, await draw(request, reading.actor(request), { done: DONE.get(request.query.done ?? '') })),
  );

  app.post('/batches/bank', { config: { guard: editing }, schema: { body: ProfileForm } }, async (request, reply) => {
    const actor = editing.actor(request);
    const { version, ...fields } = request.body;
    const values = readProfile(fields);
    try {
      await setBankProfile(context, values, { by: changedBy(request, actor), version });
      return reply.redirect('/batches/bank?done=bank', 303);
    } catch (error) {
      const refusal = refusalOf(error);
      // What has changed meanwhile is shown as it is, and not under what was typed over what was.
      const typed = error instanceof ChangedError ? {} : { values };
      return sendPage(markRefused(reply, refusal), await draw(request, actor, { ...typed, problem: refusal.words }));
    }
  });
}

function readProfile({
  same_day,
  with_notes,
  balanced,
  ...rest
}: Omit<Static<typeof ProfileForm>, 'version'>): BankProfileInput {
  return { ...rest, same_day: same_day === 'yes', with_notes: with_notes === 'yes', balanced: balanced === 'yes' };
}
