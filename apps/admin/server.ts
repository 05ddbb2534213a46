import { InvalidInputError, NotFoundError } from '@case-platform/lib/errors';
import { networkOf } from '@case-platform/lib/http/network';
import { createHttpServer, type HttpServer } from '@case-platform/lib/http-server';
import formbody from '@fastify/formbody';
import multipart from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { accountRoutes } from './account/account-routes.ts';
import { confirmIdentityRoutes } from './account/confirm-identity-routes.ts';
import { twoFactorRoutes } from './account/two-factor-routes.ts';
import type { AdminServer } from './admin-server.ts';
import { agencyChangeRoutes } from './agencies/agency-change-routes.ts';
import { agencyRoutes } from './agencies/agency-routes.ts';
import { assetRoutes } from './assets/asset-routes.ts';
import { auditRoutes } from './audit/audit-routes.ts';
import { batchChangeRoutes } from './batches/batch-change-routes.ts';
import { batchRoutes } from './batches/batch-routes.ts';
import { caseBenefitRoutes } from './cases/case-benefit-routes.ts';
import { caseChangeRoutes } from './cases/case-change-routes.ts';
import { caseDocumentRoutes } from './cases/case-document-routes.ts';
import { caseFormRoutes } from './cases/case-form-routes.ts';
import { caseMilestoneRoutes } from './cases/case-milestone-routes.ts';
import { caseMoneyRoutes } from './cases/case-money-routes.ts';
import { caseRoutes } from './cases/case-routes.ts';
import { caseStatementRoutes } from './cases/case-statement-routes.ts';
import type { AdminContext } from './context.ts';
import { deliveryChangeRoutes } from './deliveries/delivery-change-routes.ts';
import { deliveryRoutes } from './deliveries/delivery-routes.ts';
import { disbursementChangeRoutes } from './disbursements/disbursement-change-routes.ts';
import { disbursementFileRoutes } from './disbursements/disbursement-file-routes.ts';
import { disbursementFormRoutes } from './disbursements/disbursement-form-routes.ts';
import { disbursementRoutes } from './disbursements/disbursement-routes.ts';
import { paymentStopRoutes } from './disbursements/payment-stop-routes.ts';
import { discardUploads } from './form/read-form.ts';
import { createGuards } from './guards/guards.ts';
import { securityHeaders } from './guards/security-headers.ts';
import { createVisitors } from './guards/visitors.ts';
import { homeRoutes } from './home/home-routes.ts';
import { chainChangeRoutes } from './inbox/chain-change-routes.ts';
import { liveRoutes } from './inbox/live-routes.ts';
import { messageRoutes } from './inbox/message-routes.ts';
import { newChainRoutes } from './inbox/new-chain-routes.ts';
import { closePages } from './page/close-pages.ts';
import { createErrorSender } from './page/send-error.ts';
import { bankAccountRoutes } from './payments/bank-account-routes.ts';
import { bankProfileRoutes } from './payments/bank-profile-routes.ts';
import { paymentRoutes } from './payments/payment-routes.ts';
import { proofRoutes } from './payments/proof-routes.ts';
import { returnFileRoutes } from './payments/return-file-routes.ts';
import { userChangeRoutes } from './people/user-change-routes.ts';
import { userFormRoutes } from './people/user-form-routes.ts';
import { userRoutes } from './people/user-routes.ts';
import { accessRoutes } from './roles/access-routes.ts';
import { roleChangeRoutes, roleGrantRoutes } from './roles/role-change-routes.ts';
import { roleRoutes } from './roles/role-routes.ts';
import { signInCodeRoutes } from './sign-in/sign-in-code-routes.ts';
import { signInRoutes } from './sign-in/sign-in-routes.ts';

/** A form with one long text, in which each character is written as up to twelve: it comes back whole with what is wrong. */
const FORM_MAX_BYTES = 1024 * 1024;

/** Builds the server-rendered application; the caller listens and closes. */
export async function createAdminServer(context: AdminContext): Promise<HttpServer> {
  const { config, log, storage } = context;
  const visitors = createVisitors(context);
  const app = await createHttpServer({
    log,
    trustProxy: config.trustProxy,
    ready: context.ready,
    requirePrepared: context.requirePrepared,
    observeRequest: context.observeRequest,
    logsEachRequest: context.logsEachRequest,
    tracing: context.tracing,
    sendError: createErrorSender(context, visitors),
    visitOf: visitors.visitOf,
    bodyMaxBytes: FORM_MAX_BYTES,
    countCall: ({ ip }) => context.callLimits.count('calls_address', networkOf(ip)),
  });
  await app.register(formbody);
  await app.register(multipart);
  addDefaultHeaders(app, securityHeaders({ production: config.production, storage: storage.settings }));
  app.addHook('preValidation', dropEmptyQuery);
  app.addHook('onError', discardUploads);
  // Streams never end by themselves, and closing waits for every answer. It does not wait for the database, which may be away.
  let stopping: Promise<void> | undefined;
  app.addHook('preClose', (done) => {
    stopping = context.live.stop();
    done();
  });
  app.addHook('onClose', () => stopping);
  // An address with an impossible id is a 404; anything else that is wrong is a 422 that says so.
  app.setSchemaErrorFormatter((errors, part) =>
    part === 'params'
      ? new NotFoundError()
      : new InvalidInputError(
          errors
            .map(({ instancePath }) => ({
              field: instancePath.slice(1),
              message: 'This address or form contains a value we don’t recognize.',
            }))
            .slice(0, 1),
        ),
  );
  addRoutes({ app, context, guards: createGuards(context, visitors), visitors });
  return app;
}

function addRoutes(server: AdminServer): void {
  closePages(server);
  assetRoutes(server);
  signInRoutes(server);
  signInCodeRoutes(server);
  accountRoutes(server);
  confirmIdentityRoutes(server);
  twoFactorRoutes(server);
  homeRoutes(server);
  liveRoutes(server);
  newChainRoutes(server);
  messageRoutes(server);
  chainChangeRoutes(server);
  caseRoutes(server);
  caseFormRoutes(server);
  caseChangeRoutes(server);
  caseMilestoneRoutes(server);
  caseBenefitRoutes(server);
  caseDocumentRoutes(server);
  caseMoneyRoutes(server);
  caseStatementRoutes(server);
  proofRoutes(server);
  disbursementRoutes(server);
  disbursementFormRoutes(server);
  disbursementChangeRoutes(server);
  paymentStopRoutes(server);
  disbursementFileRoutes(server);
  batchRoutes(server);
  batchChangeRoutes(server);
  returnFileRoutes(server);
  bankProfileRoutes(server);
  bankAccountRoutes(server);
  paymentRoutes(server);
  deliveryRoutes(server);
  deliveryChangeRoutes(server);
  agencyRoutes(server);
  agencyChangeRoutes(server);
  userRoutes(server);
  userFormRoutes(server);
  userChangeRoutes(server);
  roleRoutes(server);
  roleChangeRoutes(server);
  roleGrantRoutes(server);
  auditRoutes(server);
  accessRoutes(server);
}

/** On every answer, errors included. A route may set its own. */
function addDefaultHeaders(app: HttpServer, headers: Record<string, string>): void {
  const defaults = Object.entries({ ...headers, 'cache-control': 'no-store' });
  app.addHook('onSend', async (_request, reply) => {
    for (const [name, value] of defaults) if (!reply.hasHeader(name)) reply.header(name, value);
  });
}

/** A filter form also sends fields that were left empty: they mean no filter. */
async function dropEmptyQuery(request: FastifyRequest): Promise<void> {
  const query = request.query as Record<string, unknown>;
  for (const name of Object.keys(query)) if (query[name] === '') delete query[name];
}
