import { ChangedError } from '@case-platform/lib/errors';
import { noteLimitUse } from '@case-platform/lib/http/rate-limit-headers';
import type { User } from '@case-platform/modules/accounts';
import {
  approveDisbursement,
  askQuestion,
  cancelDisbursement,
  denyDisbursement,
  endDisbursement,
  retryDisbursement,
  submitDisbursement,
  undoApproval,
} from '@case-platform/modules/disbursements';
import { DESCRIPTION_MAX } from '@case-platform/words/limits';
import { Type } from 'typebox';
import type { ApiContext, ApiServer } from '../api-context.ts';
import { changedBy } from '../guards/changed-by.ts';
import { Id, IdempotencyHeaders } from '../schemas.ts';
import {
  ApprovalBody,
  DisbursementOut,
  EndBody,
  QuestionBody,
  QuestionOut,
  RetryBody,
  SeenBody,
} from './disbursement-schemas.ts';
import { changeAndShow, showDisbursement } from './show-disbursement.ts';

const params = Type.Object({ id: Id });
const tags = ['disbursements'];
const response = () => ({ 200: DisbursementOut });

/** The steps from one state of a disbursement to the next (REQUEST-1). */
export function disbursementMoveRoutes(server: ApiServer): void {
  const { app, context, guards } = server;
  const making = guards.user({ perm_check: ['create_drs', 'edit_drs'] });
  const deciding = guards.user({ perm_check: ['approve_drs'] });
  const moves = [
    ['submit', making, submitDisbursement, 'Submit a draft to its approver'],
    ['cancel', making, cancelDisbursement, 'Cancel a request that is not decided yet'],
  ] as const;
  for (const [name, guard, move, summary] of moves) {
    app.post(
      `/api/disbursements/:id/${name}`,
      { config: { guard }, schema: { tags, summary, params, response: response() } },
      (request) => {
        const user = guard.actor(request);
        const { id } = request.params;
        return changeAndShow(context, user, id, (within) => move(within, id, changedBy(request, user)));
      },
    );
  }
  app.post(
    '/api/disbursements/:id/approve',
    {
      config: { guard: deciding },
      schema: {
        tags,
        summary: 'Approve the version of a request that you saw; its maker cannot',
        params,
        body: ApprovalBody,
        response: response(),
      },
    },
    (request) => {
      const user = deciding.actor(request);
      const { id } = request.params;
      return decide(context, user, id, (within) => approveDisbursement(within, id, request.body, changedBy(request, user)));
    },
  );
  app.post(
    '/api/disbursements/:id/undo-approval',
    {
      config: { guard: deciding },
      schema: { tags, summary: 'Undo your approval within ten seconds', params, response: response() },
    },
    (request) => {
      const user = deciding.actor(request);
      const { id } = request.params;
      return changeAndShow(context, user, id, (within) => undoApproval(within, id, changedBy(request, user)));
    },
  );
  app.post(
    '/api/disbursements/:id/deny',
    {
      config: { guard: deciding },
      schema: {
        tags,
        summary: 'Deny the version of a request that you saw',
        params,
        body: Type.Object({
          ...SeenBody.properties,
          reason: Type.String({ minLength: 1, maxLength: DESCRIPTION_MAX }),
        }),
        response: response(),
      },
    },
    (request) => {
      const user = deciding.actor(request);
      const { id } = request.params;
      return decide(context, user, id, (within) => denyDisbursement(within, id, request.body, changedBy(request, user)));
    },
  );
  questionRoute(server);
  returnedRoutes(server);
}

/** Asks about a request, and can stop all payments to its payee (BANK-10). */
function questionRoute({ app, context, guards }: ApiServer): void {
  const guard = guards.user({ perm_check: ['approve_drs'] });
  app.post(
    '/api/disbursements/:id/question',
    {
      config: { guard },
      schema: {
        tags,
        summary: 'Ask the payee about a request, or stop all payments to them',
        params,
        headers: IdempotencyHeaders,
        body: QuestionBody,
        response: { 201: QuestionOut },
      },
    },
    async (request, reply) => {
      const user = guard.actor(request);
      noteLimitUse(request, await context.callLimits.count('messages', String(user.id)));
      const question = { ...request.body, idempotencyKey: request.headers['idempotency-key'] };
      const result = await askQuestion(context, request.params.id, question, changedBy(request, user));
      return reply.code(201).send(result);
    },
  );
}

/** Pays a returned request again, or ends it (RETRY-1, WHERE-5). */
function returnedRoutes({ app, context, guards }: ApiServer): void {
  const guard = guards.user({ user_types: ['admin'], perm_check: ['edit_drs'] });
  app.post(
    '/api/disbursements/:id/retry',
    {
      config: { guard },
      schema: {
        tags,
        summary: 'Pay a returned request again, with the next batch (staff)',
        params,
        body: Type.Optional(RetryBody),
        response: response(),
      },
    },
    (request) => {
      const user = guard.actor(request);
      const { id } = request.params;
      return decide(context, user, id, (within) => retryDisbursement(within, id, request.body ?? {}, changedBy(request, user)));
    },
  );
  app.post(
    '/api/disbursements/:id/end',
    {
      config: { guard },
      schema: {
        tags,
        summary: 'End a returned request that will not be paid again (staff)',
        params,
        body: EndBody,
        response: response(),
      },
    },
    (request) => {
      const user = guard.actor(request);
      const { id } = request.params;
      return decide(context, user, id, (within) => endDisbursement(within, id, request.body, changedBy(request, user)));
    },
  );
}

/** Decides, and answers with the request as decided. The 409 for a decision about an older version carries the current one. */
async function decide(context: ApiContext, user: User, id: number, decision: (within: ApiContext) => Promise<void>) {
  try {
    return await changeAndShow(context, user, id, decision);
  } catch (error) {
    if (error instanceof ChangedError) error.current = await showDisbursement(context, user, id);
    throw error;
  }
}
