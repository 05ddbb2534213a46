import { networkOf } from '@case-platform/lib/http/network';
import { noteLimitUse, rateLimitHeaders } from '@case-platform/lib/http/rate-limit-headers';
import { createHttpServer, type HttpServer } from '@case-platform/lib/http-server';
import { JSON_BODY_MAX_BYTES } from '@case-platform/words/limits';
import multipart from '@fastify/multipart';
import swagger from '@fastify/swagger';
import { authRoutes } from './accounts/auth-routes.ts';
import { meRoutes } from './accounts/me-routes.ts';
import { uploadRoutes } from './accounts/upload-routes.ts';
import { webSessionRoutes } from './accounts/web-session-routes.ts';
import type { ApiContext } from './api-context.ts';
import { benefitRoutes } from './cases/benefit-routes.ts';
import { caseDocumentRoutes } from './cases/case-document-routes.ts';
import { caseRoutes } from './cases/case-routes.ts';
import { caseTimelineRoutes } from './cases/case-timeline-routes.ts';
import { describeApi } from './describe-api.ts';
import { bankAccountRoutes } from './disbursements/bank-account-routes.ts';
import { disbursementFileRoutes } from './disbursements/disbursement-file-routes.ts';
import { disbursementRoutes } from './disbursements/disbursement-routes.ts';
import { referenceRoutes } from './docs/reference-routes.ts';
import { createGuards } from './guards/guards.ts';
import { homeRoutes } from './home/home-routes.ts';
import { machineRoutes } from './machines/machine-routes.ts';
import { providerReportRoutes } from './machines/provider-report-routes.ts';
import { chainChangeRoutes } from './messaging/chain-change-routes.ts';
import { liveRoutes } from './messaging/live-routes.ts';
import { messageRoutes } from './messaging/message-routes.ts';
import { sendingRoutes } from './messaging/sending-routes.ts';
import { notificationRoutes } from './notifications/notification-routes.ts';
import { unsubscribeRoutes } from './notifications/unsubscribe-routes.ts';
import { problemSender } from './problem.ts';
import { requireKnownInput } from './require-known-input.ts';
import { projectionRoutes } from './statements/projection-routes.ts';
import { proofRoutes } from './statements/proof-routes.ts';
import { statementRoutes } from './statements/statement-routes.ts';

/** Tells browsers to use only https for a year (RFC 6797). */
const HSTS = 'max-age=31536000; includeSubDomains';

/** Builds the JSON API; the caller listens and closes. */
export async function createApiServer(context: ApiContext): Promise<HttpServer> {
  const app = await createHttpServer({
    log: context.log,
    trustProxy: context.trustProxy,
    forwardingSecret: context.forwardingSecret,
    ready: context.ready,
    requirePrepared: context.requirePrepared,
    observeRequest: context.observeRequest,
    logsEachRequest: context.logsEachRequest,
    tracing: context.tracing,
    sendError: problemSender(context.reportKeys.apiUrl),
    bodyMaxBytes: JSON_BODY_MAX_BYTES,
    countCall: async (request) => noteLimitUse(request, await context.callLimits.count('calls_address', networkOf(request.ip))),
  });
  await app.register(multipart);
  app.addHook('onRequest', (request, _reply, done) => {
    requireKnownInput(request);
    done();
  });
  await app.register(swagger, describeApi(context.reportKeys.apiUrl));
  app.addHook('onSend', (request, reply, payload, done) => {
    reply.headers(rateLimitHeaders(request));
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
    if (context.push.production) reply.header('strict-transport-security', HSTS);
    done(null, payload);
  });
  // Streams never end by themselves, and closing waits for every answer. It does not wait for the database, which may be
  // unavailable.
  let stopping: Promise<void> | undefined;
  app.addHook('preClose', (done) => {
    stopping = context.live.stop();
    done();
  });
  app.addHook('onClose', () => stopping);
  const guards = createGuards(context);
  const server = { app, context, guards };
  authRoutes(server);
  meRoutes(server);
  webSessionRoutes(server);
  uploadRoutes(server);
  liveRoutes(server);
  bankAccountRoutes(server);
  messageRoutes(server);
  sendingRoutes(server);
  chainChangeRoutes(server);
  caseRoutes(server);
  caseTimelineRoutes(server);
  benefitRoutes(server);
  statementRoutes(server);
  projectionRoutes(server);
  proofRoutes(server);
  disbursementRoutes(server);
  homeRoutes(server);
  disbursementFileRoutes(server);
  caseDocumentRoutes(server);
  notificationRoutes(server);
  unsubscribeRoutes(server);
  machineRoutes(server);
  providerReportRoutes(server);
  referenceRoutes(server);
  return app;
}
