import { fileURLToPath } from 'node:url';
import { Liquid } from 'liquidjs';

/** The templates of `templates/`; a text part is made from the same context by the `.txt` beside it. */
export type TemplateName =
  | 'message_alert.html'
  | 'login_code.html'
  | 'password_reset.html'
  | 'invitation.html'
  | 'address_link.html'
  | 'account_notice.html'
  | 'disbursement_submitted.html'
  | 'disbursement_approved.html'
  | 'disbursement_denied.html'
  | 'disbursement_sent_back.html'
  | 'ip_pregnancy_funding.html'
  | 'last_scheduled_payment.html'
  | 'case_close_reminder.html';
export type TemplateContext = Record<string, string | number | boolean | null>;

const engine = new Liquid({
  root: fileURLToPath(new URL('./templates/', import.meta.url)),
  extname: '.html',
  cache: true,
  outputEscape: 'escape',
  strictVariables: true,
  strictFilters: true,
});
const plain = new Liquid({
  root: fileURLToPath(new URL('./templates/', import.meta.url)),
  extname: '.txt',
  cache: true,
  strictVariables: true,
});

/** Renders a template to HTML, every value escaped, and to text. */
export async function renderEmail(
  name: TemplateName,
  context: TemplateContext & { subject_line: string },
): Promise<{ html: string; text: string }> {
  const [html, text] = await Promise.all([
    engine.renderFile(name, context),
    plain.renderFile(name.replace(/\.html$/, '.txt'), context),
  ]);
  return { html, text };
}
