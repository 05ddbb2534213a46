import { publicRoute } from '@case-platform/lib/guards';
import { findUnsubscription, setByUnsubscribeLink, UNSUBSCRIBE_PATH } from '@case-platform/modules/notifications';
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import type { ApiServer } from '../api-context.ts';
import { UNSUBSCRIBE_PAGE_POLICY, unsubscribePage } from './unsubscribe-page.ts';

const BODY_MAX_BYTES = 4096;
/** The name of the button that turns the mails on again. */
const ON_AGAIN = 'on-again';

/**
 * The unsubscribe link of a mail, which needs no session (EMAIL-14). A mailbox posts to it (RFC 8058); a person who follows it
 * gets a page with a button, because mail scanners open every link.
 */
export function unsubscribeRoutes({ app, context }: ApiServer): void {
  const config = { guard: publicRoute('the signature in the link is the proof') };
  const tags = ['notifications'];
  const querystring = Type.Object({
    token: Type.String({ minLength: 1, maxLength: 200, description: 'As the link of the mail has it.' }),
  });
  const page = { content: { 'text/html': { schema: Type.String() } } };

  app.get(
    UNSUBSCRIBE_PATH,
    {
      config,
      schema: {
        tags,
        querystring,
        summary: 'Get the page that asks whether to stop one kind of email; nothing changes yet',
        response: { 200: page, 404: page },
      },
    },
    async (request, reply) => sendPage(reply, await findUnsubscription(context.db, request.query.token)),
  );

  app.register(async (scope) => {
    // A mailbox may send either kind of form (RFC 8058, 3.2); both mean the same.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
    scope.post(
      UNSUBSCRIBE_PATH,
      {
        config,
        bodyLimit: BODY_MAX_BYTES,
        schema: {
          tags,
          querystring,
          summary: 'Stop the kind of email that the link is about',
          response: { 200: page, 404: page },
        },
      },
      async (request, reply) => {
        const { token } = request.query as { token: string };
        const again = new URLSearchParams(typeof request.body === 'string' ? request.body : '').has(ON_AGAIN);
        return sendPage(reply, await setByUnsubscribeLink(context.db, token, again));
      },
    );
  });
}

function sendPage(reply: FastifyReply, unsubscription: Parameters<typeof unsubscribePage>[0]) {
  return reply
    .code(unsubscription === null ? 404 : 200)
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': UNSUBSCRIBE_PAGE_POLICY,
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex',
    })
    .send(String(unsubscribePage(unsubscription)));
}
