import { readdirSync, readFileSync } from 'node:fs';
import { withoutLinks } from '@case-platform/lib/human-text';
import { withLook } from './mail-look.ts';

/** The templates of `templates/`; a text part is made from the same context by the `.txt` beside it. */
export const TEMPLATES = [
  'message_alert.html',
  'login_code.html',
  'password_reset.html',
  'invitation.html',
  'role_granted.html',
  'address_link.html',
  'account_notice.html',
  'name_changed.html',
  'disbursement_submitted.html',
  'disbursement_approved.html',
  'disbursement_denied.html',
  'disbursement_sent_back.html',
  'payment_on_its_way.html',
  'payment_arrived.html',
  'payment_returned.html',
  'ip_pregnancy_funding.html',
  'last_scheduled_payment.html',
  'case_close_reminder.html',
  'funds_short.html',
] as const;
export type TemplateName = (typeof TEMPLATES)[number];
export type TemplateContext = Record<string, string | number | boolean | null>;

const FOLDER = new URL('./templates/', import.meta.url);
// `lenientIf`: the layout asks whether a mail knows a name to greet by.
const STRICT = { strictVariables: true, lenientIf: true, strictFilters: true };

/** The templates of one kind, by their names without it. */
function read(extension: '.html' | '.txt', prepare = (template: string) => template): Record<string, string> {
  const names = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith(extension));
  return Object.fromEntries(
    names.map((name) => [name.slice(0, -extension.length), prepare(readFileSync(new URL(name, FOLDER), 'utf8'))]),
  );
}

async function makeEngines() {
  const { Liquid } = await import('liquidjs');
  return {
    html: new Liquid({ ...STRICT, templates: read('.html', withLook), cache: true, outputEscape: 'escape' }),
    text: new Liquid({ ...STRICT, templates: read('.txt'), cache: true }),
  };
}

/** Read with the first mail: only the worker ever writes one. */
let engines: ReturnType<typeof makeEngines> | undefined;

/** Values without anything that a mail program would show as a link, except our own addresses, whose names end in `url`. */
export function withoutLinkedValues<Context extends TemplateContext>(context: Context): Context {
  const values = Object.entries(context).map(([name, value]) => [
    name,
    typeof value === 'string' && !name.endsWith('url') ? withoutLinks(value) : value,
  ]);
  return Object.fromEntries(values);
}

/** Renders a template to HTML, every value escaped, and to text. Names and subjects in it never become links. */
export async function renderEmail(
  name: TemplateName,
  context: TemplateContext & { subject_line: string },
): Promise<{ html: string; text: string }> {
  const template = name.replace(/\.html$/, '');
  engines ??= makeEngines();
  const { html, text } = await engines;
  const values = withoutLinkedValues(context);
  return { html: await html.renderFile(template, values), text: await text.renderFile(template, values) };
}
