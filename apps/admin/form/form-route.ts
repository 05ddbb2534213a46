import { ConflictError } from '@case-platform/lib/errors';
import type { Guard } from '@case-platform/lib/guards';
import type { Html } from '@case-platform/lib/html';
import { runForReader, typingLocale } from '@case-platform/lib/reader-locale';
import type { ChangedByUser } from '@case-platform/modules/accounts';
import type { IncomingFile } from '@case-platform/modules/messaging';
import type { MailTemplates } from '@case-platform/modules/notifications';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, type TSchema, Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { changedBy } from '../guards/changed-by.ts';
import { confirmPath } from '../guards/safe-next.ts';
import type { Actor, StaffActor } from '../guards/visitors.ts';
import { sendPage } from '../page/send-page.ts';
import { readFormWithFiles, uploadedFiles } from './read-form.ts';
import { hasRecentProof } from './recent-proof.ts';
import { type RefusedForm, refusedForm } from './refused-form.ts';

/** A form from someone whom its guard let in. */
export interface SentForm<Params, Body = unknown, Sender extends Actor | null = StaffActor> {
  request: FastifyRequest;
  reply: FastifyReply;
  actor: Sender;
  /** The actor and where they are, for the audit log; null for someone who is not signed in. */
  by: Sender extends Actor ? ChangedByUser : null;
  params: Params;
  body: Body;
  /** The attached files; empty for a route without `files`. */
  files: IncomingFile[];
}

/** The page with one or several forms. */
export interface FormPage<Params, Body = unknown, Sender extends Actor | null = StaffActor> {
  path: (params: Params) => string;
  /** Reads the page again, with what was typed and why it was refused. Returns an address if the page no longer exists. */
  readRefused: (form: SentForm<Params, Body, Sender>, refused: RefusedForm) => Html | string | Promise<Html | string>;
  /** Names of the forms' fields, by the module's names where those differ. */
  names?: Readonly<Record<string, string>>;
  /** Whether scripts send the forms, too. They get a 204 and read the page again themselves. */
  isForScripts?: true;
}

interface FormRoute<Params extends TSchema, Body extends TSchema, Result, Sender extends Actor | null> {
  guard: Guard<Sender>;
  /** The provider's template for each mail that the command causes. `SENDGRID_TEMPLATES` maps these names (EMAIL-16). */
  mails?: MailTemplates;
  params?: Params;
  body?: Body;
  /** Accepts files: the size of the whole form in bytes, and the fields that are lists even with a single value. */
  files?: { bodyLimit: number; lists?: readonly string[] };
  /** Redirects to the page that confirms the sender's identity, unless they did so in the last ten minutes (IDENTITY-5). */
  needsRecentProof?: true;
  run: (form: SentForm<Static<Params>, Static<Body>, Sender>) => Promise<Result>;
  /** A word for the result in the address of the form's page, which is shown next. */
  done?: string | ((result: Result) => string);
  /** The address that is shown next, where that is not the form's page, or a reply that was sent. */
  next?: (result: Result, form: SentForm<Static<Params>, Static<Body>, Sender>) => Next | Promise<Next>;
  /** The address that a second click leads to while the first one is still being processed. */
  whileInFlight?: (params: Static<Params>) => string;
}

type Next = string | FastifyReply;

/**
 * Declares the route that a form of `page` is sent to. It runs the command and redirects to the next page. If the person can
 * correct what is wrong, the same page comes back with the error's status, its words above the form and beside the fields, and
 * everything that was typed. Any other error goes to the error page.
 */
export function formRoute<Params extends TSchema, Body extends TSchema, Result, Sender extends Actor | null>(
  { app, context }: AdminServer,
  page: FormPage<Static<Params>, Static<Body>, Sender>,
  path: string,
  route: FormRoute<Params, Body, Result, Sender>,
): void {
  const { now } = context;
  const { guard, mails, params, body, files, needsRecentProof, run, done = '', whileInFlight } = route;
  const next =
    route.next ?? ((result, form) => `${page.path(form.params)}?done=${typeof done === 'string' ? done : done(result)}`);
  const options = {
    config: { guard, ...(mails === undefined ? {} : { mails }) },
    schema: { params: params ?? Type.Unknown(), body: body ?? Type.Unknown() },
    ...(files === undefined ? {} : withFiles(guard, files)),
  };
  app.post(path, options, async (request: FastifyRequest, reply: FastifyReply) => {
    await using upload = uploadedFiles(request);
    const form = sentForm<Static<Params>, Static<Body>, Sender>(request, reply, guard.actor(request), upload.files);
    const { actor } = form;
    if (needsRecentProof && (actor === null || !hasRecentProof(actor, now()))) {
      return reply.redirect(confirmPath(page.path(form.params)), 303);
    }
    if (page.isForScripts && isByScript(request)) {
      await run(form);
      return reply.code(204).send();
    }
    try {
      if (upload.problem !== undefined) throw upload.problem;
      const address = await next(await run(form), form);
      return typeof address === 'string' ? reply.redirect(address, 303) : address;
    } catch (error) {
      if (whileInFlight !== undefined && isInFlight(error)) return reply.redirect(whileInFlight(form.params), 303);
      const refused = refusedForm(request, error, { upload, names: page.names });
      const showAgain = () => page.readRefused(form, refused);
      return sendRefused(reply, refused, await runForReader({ locale: typingLocale(), isShown: true }, showAgain));
    }
  });
}

/** Whether a script of ours sent the request, which needs no page as an answer. */
export function isByScript(request: FastifyRequest): boolean {
  return request.headers['hx-request'] !== undefined;
}

function withFiles(guard: Guard<Actor | null>, { bodyLimit, lists = [] }: { bodyLimit: number; lists?: readonly string[] }) {
  const csrfToken = (request: FastifyRequest) => guard.actor(request)?.session.csrf_token;
  return { bodyLimit, preValidation: readFormWithFiles({ csrfToken, lists }) };
}

function sentForm<Params, Body, Sender extends Actor | null>(
  request: FastifyRequest,
  reply: FastifyReply,
  actor: Sender,
  files: IncomingFile[],
): SentForm<Params, Body, Sender> {
  const by = (actor === null ? null : changedBy(request, actor)) as SentForm<Params, Body, Sender>['by'];
  return { request, reply, actor, by, params: request.params as Params, body: request.body as Body, files };
}

function sendRefused(reply: FastifyReply, { status, retryAfter }: RefusedForm, page: Html | string): FastifyReply {
  if (typeof page === 'string') return reply.redirect(page, 303);
  if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter));
  return sendPage(reply.code(status), page);
}

function isInFlight(error: unknown): boolean {
  return error instanceof ConflictError && error.code === 'idempotency_key_in_flight';
}
