import { NotFoundError } from '@case-platform/lib/errors';
import { publicRoute } from '@case-platform/lib/guards';
import { networkOf } from '@case-platform/lib/http/network';
import { paperOf } from '@case-platform/lib/pdf/paper';
import { findProofOfFunds, proofOfFundsPdf, proveFunds } from '@case-platform/modules/banking';
import { Type } from 'typebox';
import type { ApiServer } from '../api-context.ts';
import { Id } from '../schemas.ts';
import { issuedProofRoutes } from './issued-proof-routes.ts';
import { PdfFile, ProofOut } from './proof-schemas.ts';
import { sendFile } from './send-file.ts';
import { PaperChoice } from './statement-schemas.ts';

/** Proofs of funds, and the check of their codes (PROOF-1). */
export function proofRoutes(server: ApiServer): void {
  unrecordedRoutes(server);
  issuedProofRoutes(server);
}

/** The proof that is not recorded, and the check of every code. */
function unrecordedRoutes({ app, context, guards }: ApiServer): void {
  const guard = guards.user({ perm_check: ['view_case_details', 'view_drs'] });
  app.get(
    '/api/cases/:id/proof-of-funds',
    {
      config: { guard },
      schema: {
        tags: ['cases'],
        summary: 'Get a proof of funds as a PDF, with a code that can be verified for 90 days',
        params: Type.Object({ id: Id }),
        querystring: Type.Object({ paper: PaperChoice }),
        response: PdfFile,
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const actor = guard.actor(request);
      const proof = await proveFunds(context, actor, id, context.now());
      context.log.info({ request_id: request.id, case_id: id, actor_id: actor.id }, 'proof of funds issued');
      const paper = paperOf(request.query.paper, request.headers['accept-language']);
      const day = proof.made_at.toISOString().slice(0, 10);
      const file = await proofOfFundsPdf(proof, { paper, webUrl: context.webUrl });
      return sendFile(reply, `case-${id}-proof-of-funds-${day}.pdf`, file);
    },
  );

  app.get(
    '/api/proof/:code',
    {
      config: { guard: publicRoute('the code is the proof') },
      schema: {
        tags: ['cases'],
        summary: 'Verify a proof of funds by its code; names are never shown',
        params: Type.Object({ code: Type.String({ minLength: 1, maxLength: 64 }) }),
        response: { 200: ProofOut },
      },
    },
    async (request) => {
      const network = networkOf(request.ip);
      // Consumed first, so that many guesses at the same time cannot slip through; only wrong ones count (PROOF-3).
      await context.throttle.consume('proof_code', network);
      const proof = await findProofOfFunds(context, request.params.code, context.now());
      if (proof === null) throw new NotFoundError('We don’t know this code.');
      await context.throttle.returnTry('proof_code', network);
      return proof;
    },
  );
}
