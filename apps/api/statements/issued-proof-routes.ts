import { paperOf } from '@case-platform/lib/pdf/paper';
import type { User } from '@case-platform/modules/accounts';
import { getProof, issueProof, listProofs, proofOfFundsPdf, withdrawProof } from '@case-platform/modules/banking';
import { ADDRESSEE_MAX } from '@case-platform/words/limits';
import { Type } from 'typebox';
import type { ApiContext, ApiServer } from '../api-context.ts';
import { changedBy } from '../guards/changed-by.ts';
import { Id, IdempotencyHeaders, toPerson } from '../schemas.ts';
import { IssuedProofOut, PdfFile } from './proof-schemas.ts';
import { sendFile } from './send-file.ts';
import { PaperChoice } from './statement-schemas.ts';

const tags = ['cases'];
const params = Type.Object({ id: Id });
const proofParams = Type.Object({ id: Id, proof_id: Id });

/** The proofs that were issued to someone, which can be withdrawn (PROOF-4). */
export function issuedProofRoutes(server: ApiServer): void {
  readingRoutes(server);
  writingRoutes(server);
}

async function show(context: ApiContext, actor: User, caseId: number, id: number) {
  const proof = await getProof(context, actor, { caseId, id }, context.now());
  return { ...proof, issued_by: toPerson(proof.issued_by) };
}

function readingRoutes({ app, context, guards }: ApiServer): void {
  const guard = guards.user({ perm_check: ['view_case_details', 'view_drs'] });
  const config = { guard };

  app.get(
    '/api/cases/:id/proofs',
    {
      config,
      schema: {
        tags,
        summary: 'List the proofs of funds of a case, newest first',
        params,
        response: { 200: Type.Object({ data: Type.Array(IssuedProofOut) }) },
      },
    },
    async (request) => {
      const proofs = await listProofs(context, guard.actor(request), request.params.id, context.now());
      return { data: proofs.map((proof) => ({ ...proof, issued_by: toPerson(proof.issued_by) })) };
    },
  );

  app.get(
    '/api/cases/:id/proofs/:proof_id/file',
    {
      config,
      schema: {
        tags,
        summary: 'Get an issued proof of funds as a PDF',
        params: proofParams,
        querystring: Type.Object({ paper: PaperChoice }),
        response: PdfFile,
      },
    },
    async (request, reply) => {
      const { id: caseId, proof_id: id } = request.params;
      const proof = await getProof(context, guard.actor(request), { caseId, id }, context.now());
      const paper = paperOf(request.query.paper, request.headers['accept-language']);
      const file = await proofOfFundsPdf(proof, { paper, webUrl: context.webUrl });
      return sendFile(reply, `case-${caseId}-proof-of-funds-${proof.made_at.toISOString().slice(0, 10)}.pdf`, file);
    },
  );
}

function writingRoutes({ app, context, guards }: ApiServer): void {
  const guard = guards.user({ perm_check: ['view_case_details', 'view_drs'] });
  const config = { guard };

  app.post(
    '/api/cases/:id/proofs',
    {
      config,
      schema: {
        tags,
        summary: 'Issue a proof of funds to someone',
        params,
        headers: IdempotencyHeaders,
        body: Type.Object({ addressee: Type.String({ minLength: 1, maxLength: ADDRESSEE_MAX }) }),
        response: { 201: IssuedProofOut },
      },
    },
    async (request, reply) => {
      const actor = guard.actor(request);
      const input = { ...request.body, idempotencyKey: request.headers['idempotency-key'] };
      const by = { ...changedBy(request, actor), actor };
      const { id } = await issueProof(context, request.params.id, input, by);
      return reply.code(201).send(await show(context, actor, request.params.id, id));
    },
  );

  app.post(
    '/api/cases/:id/proofs/:proof_id/withdraw',
    {
      config,
      schema: {
        tags,
        summary: 'Withdraw an issued proof of funds',
        params: proofParams,
        response: { 200: IssuedProofOut },
      },
    },
    async (request) => {
      const actor = guard.actor(request);
      const { id: caseId, proof_id: id } = request.params;
      await withdrawProof(context, { caseId, id }, { ...changedBy(request, actor), actor });
      return show(context, actor, caseId, id);
    },
  );
}
