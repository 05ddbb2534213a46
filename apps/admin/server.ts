import { InvalidInputError, NotFoundError } from '@case-platform/lib/errors';
import { createHttpServer, type HttpServer } from '@case-platform/lib/http-server';
import { networkOf } from '@case-platform/lib/network';
import formbody from '@fastify/formbody';
import multipart from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import type { AdminContext } from './context.ts';
import { createGuards } from './guards.ts';
import { discardUploads } from './read-form.ts';
import { accessRoutes } from './routes/access.ts';
import { accountRoutes } from './routes/account.ts';
import { agencyRoutes } from './routes/agencies.ts';
import { agencyChangeRoutes } from './routes/agency-changes.ts';
import { assetRoutes } from './routes/assets.ts';
import { auditRoutes } from './routes/audit.ts';
import { bankAccountRoutes } from './routes/bank-accounts.ts';
import { bankReturnRoutes } from './routes/bank-returns.ts';
import { batchChangeRoutes } from './routes/batch-changes.ts';
import { batchRoutes } from './routes/batches.ts';
import { caseChangeRoutes } from './routes/case-changes.ts';
import { caseFormRoutes } from './routes/case-forms.ts';
import { caseMilestoneRoutes } from './routes/case-milestones.ts';
import { caseMoneyRoutes } from './routes/case-money.ts';
import { caseRoutes } from './routes/cases.ts';
import { chainChangeRoutes } from './routes/chain-changes.ts';
import { confirmIdentityRoutes } from './routes/confirm-identity.ts';
import { deliveryRoutes } from './routes/deliveries.ts';
import { directUploadRoutes } from './routes/direct-uploads.ts';
import { disbursementChangeRoutes } from './routes/disbursement-changes.ts';
import { disbursementFormRoutes } from './routes/disbursement-forms.ts';
import { disbursementRoutes } from './routes/disbursements.ts';
import { homeRoutes } from './routes/home.ts';
import { liveRoutes } from './routes/live.ts';
import { messageRoutes } from './routes/messages.ts';
import { newChainRoutes } from './routes/new-chain.ts';
import { paymentRoutes } from './routes/payments.ts';
import { roleChangeRoutes } from './routes/role-changes.ts';
import { roleRoutes } from './routes/roles.ts';
import { signInRoutes } from './routes/sign-in.ts';
import { signInCodeRoutes } from './routes/sign-in-code.ts';
import { twoFactorRoutes } from './routes/two-factor.ts';
import { userChangeRoutes } from './routes/user-changes.ts';
import { userFormRoutes } from './routes/user-forms.ts';
import { userRoutes } from './routes/users.ts';
import { securityHeaders } from './security-headers.ts';
import { createErrorSender } from './send-error.ts';
import { createVisitors } from './visitors.ts';

/** Builds the server-rendered application; the caller listens and closes. */
export async function createAdminServer(context: AdminContext): Promise<HttpServer> {
  const { config, log, storage } = context;
  const visitors = createVisitors(context);
  const app = await createHttpServer({
    log,
    trustProxy: config.trustProxy,
    ready: context.ready,
    sendError: createErrorSender(context, visitors),
    visitOf: visitors.visitOf,
    countCall: (ip) => context.calls.take('calls_address', networkOf(ip)),
  });
  await app.register(formbody);
  await app.register(multipart);
  addDefaultHeaders(app, securityHeaders({ production: config.production, storage: storage.settings }));
  app.addHook('preValidation', dropEmptyQuery);
  app.addHook('onError', discardUploads);
  // Streams have no end of their own, and closing waits for every answer.
  app.addHook('preClose', () => context.live.stop());
  // An address with an impossible id leads nowhere; anything else that is wrong is said.
  app.setSchemaErrorFormatter((errors, part) =>
    part === 'params'
      ? new NotFoundError()
      : new InvalidInputError(
          errors
            .map(({ instancePath }) => ({
              field: instancePath.slice(1),
              message: 'This address or form holds a value that is not known here.',
            }))
            .slice(0, 1),
        ),
  );
  const server = { app, context, guards: createGuards(context, visitors), visitors };
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
  caseMoneyRoutes(server);
  disbursementRoutes(server);
  disbursementFormRoutes(server);
  disbursementChangeRoutes(server);
  directUploadRoutes(server);
  batchRoutes(server);
  batchChangeRoutes(server);
  bankReturnRoutes(server);
  bankAccountRoutes(server);
  paymentRoutes(server);
  deliveryRoutes(server);
  agencyRoutes(server);
  agencyChangeRoutes(server);
  userRoutes(server);
  userFormRoutes(server);
  userChangeRoutes(server);
  roleRoutes(server);
  roleChangeRoutes(server);
  auditRoutes(server);
  accessRoutes(server);
  return app;
}

/** On every answer, refusals included; a route may set its own. */
function addDefaultHeaders(app: HttpServer, headers: Record<string, string>): void {
  const defaults = Object.entries({ ...headers, 'cache-control': 'no-store' });
  app.addHook('onSend', async (_request, reply) => {
    for (const [name, value] of defaults) if (!reply.hasHeader(name)) reply.header(name, value);
  });
}

/** A filter form sends a field that was left empty, too: it means the same as none. */
async function dropEmptyQuery(request: FastifyRequest): Promise<void> {
  const query = request.query as Record<string, unknown>;
  for (const name of Object.keys(query)) if (query[name] === '') delete query[name];
}
