import { brand } from '@case-platform/lib/brand';
import { NotFoundError } from '@case-platform/lib/errors';
import { publicRoute } from '@case-platform/lib/guards';
import type { Html } from '@case-platform/lib/html';
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import type { ApiServer } from '../api-context.ts';
import { describeForReaders } from './describe-for-readers.ts';
import { loadReferenceFiles } from './reference-files.ts';
import { REFERENCE_POLICY, referencePage, welcomePage } from './reference-page.ts';

const FileAddress = Type.Object({ hash: Type.String({ maxLength: 32 }), name: Type.String({ maxLength: 32 }) });

/** The greeting of the API, its reference for people, and its description for programs (API-10). */
export function referenceRoutes({ app, context }: ApiServer): void {
  const { apiUrl } = context.reportKeys;
  const { webUrl } = context;
  const isDemo = !context.push.production;
  const hidden = { hide: true } as object;
  let description: Promise<object> | undefined;

  app.get('/', { config: { guard: publicRoute('the greeting of this API') }, schema: hidden }, async (request, reply) => {
    reply.header('vary', 'accept');
    if (prefersHtml(request.headers.accept)) return sendPage(reply, welcomePage({ apiUrl, webUrl }, await loadReferenceFiles()));
    const [openapi, reference] = ['/openapi.json', '/docs'].map((path) => new URL(path, apiUrl).href);
    return { name: `${brand().name} API`, description: openapi, reference };
  });

  app.get('/docs', { config: { guard: publicRoute('the reference of this API') }, schema: hidden }, async (_request, reply) =>
    sendPage(reply, referencePage({ apiUrl, isDemo }, await loadReferenceFiles())),
  );

  app.get(
    '/docs/:hash/:name',
    {
      config: { guard: publicRoute('scripts and styles of the reference'), isUncounted: true },
      schema: { ...hidden, params: FileAddress },
    },
    async (request, reply) => {
      const { hash, name } = request.params;
      const file = (await loadReferenceFiles()).find(hash, name);
      if (file === undefined) throw new NotFoundError();
      const { contentType, body, brotli } = file;
      reply.type(contentType).header('cache-control', 'public, max-age=31536000, immutable').header('vary', 'accept-encoding');
      if (!/\bbr\b/.test(request.headers['accept-encoding'] ?? '')) return reply.send(body);
      return reply.header('content-encoding', 'br').send(brotli);
    },
  );

  app.get('/openapi.json', { config: { guard: publicRoute('the description of this API') }, schema: hidden }, async () => {
    description ??= describeForReaders(app.swagger());
    return description;
  });
}

/** Browsers name HTML first; programs accept anything, or JSON. */
function prefersHtml(accept = ''): boolean {
  return /\btext\/html\b/i.test(accept);
}

function sendPage(reply: FastifyReply, page: Html) {
  return reply
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': REFERENCE_POLICY,
      'referrer-policy': 'no-referrer',
    })
    .send(String(page));
}
