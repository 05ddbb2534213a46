import type { Guard } from '@case-platform/lib/guards';
import type { Html } from '@case-platform/lib/html';
import type { ChangedByUser } from '@case-platform/modules/accounts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, type TSchema, Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { changedByStaff } from '../guards/changed-by.ts';
import { confirmPath } from '../guards/safe-next.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { answerForm, type RefusedForm } from './answer-form.ts';
import { hasRecentProof } from './recent-proof.ts';

/** A form whose sender may send it. */
interface SentForm<Params, Body = unknown> {
  request: FastifyRequest;
  actor: StaffActor;
  /** The actor and where they are, for the audit log. */
  by: ChangedByUser;
  params: Params;
  body: Body;
}

/** The page with the forms. A form leads back to it, whether it was accepted or refused. */
export interface FormPage<Params> {
  path: (params: Params) => string;
  /** Reads the page again, with what was typed and why it was refused. */
  readRefused: (form: SentForm<Params>, refused: RefusedForm) => Promise<Html>;
  /** The address after an accepted form, where that is not the page itself with `done` in its query. */
  next?: (form: SentForm<Params>) => Promise<string>;
  /** Names of the forms' fields, by the module's names where those differ. */
  names?: Readonly<Record<string, string>>;
  /** Whether scripts send the forms, too. They get a 204 and read the page again themselves. */
  isForScripts?: true;
}

interface FormRoute<Params extends TSchema, Body extends TSchema, Result> {
  guard: Guard<StaffActor>;
  params: Params;
  body?: Body;
  /** The word for what was done, in the address of the page that follows. */
  done?: string | ((result: Result) => string);
  /** Leads to the proof of identity first, unless there was one in the last ten minutes. */
  needsRecentProof?: true;
  run: (form: SentForm<Static<Params>, Static<Body>>) => Promise<Result>;
}

/** Declares the route that a form of `page` is sent to. */
export function formRoute<Params extends TSchema, Body extends TSchema, Result>(
  { app, context }: AdminServer,
  page: FormPage<Static<Params>>,
  path: string,
  { guard, params, body, done = '', needsRecentProof, run }: FormRoute<Params, Body, Result>,
): void {
  const { now = () => new Date() } = context;
  const schema = { params, body: body ?? Type.Unknown() };
  app.post(path, { config: { guard }, schema }, async (request: FastifyRequest, reply: FastifyReply) => {
    const actor = guard.actor(request);
    const form = {
      request,
      actor,
      by: changedByStaff(request, actor),
      params: request.params as Static<Params>,
      body: request.body as Static<Body>,
    };
    if (needsRecentProof && !hasRecentProof(actor, now())) return reply.redirect(confirmPath(page.path(form.params)), 303);
    if (page.isForScripts && isByScript(request)) {
      await run(form);
      return reply.code(204).send();
    }
    return answerForm(request, reply, {
      run: async () => {
        const result = await run(form);
        if (page.next !== undefined) return page.next(form);
        return `${page.path(form.params)}?done=${typeof done === 'string' ? done : done(result)}`;
      },
      again: (refused) => page.readRefused(form, refused),
      ...(page.names === undefined ? {} : { names: page.names }),
    });
  });
}

/** Whether a script of ours asks, which needs no page for an answer. */
export function isByScript(request: FastifyRequest): boolean {
  return request.headers['hx-request'] !== undefined;
}
