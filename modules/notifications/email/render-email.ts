import { readdirSync, readFileSync } from 'node:fs';
import { brand } from '@case-platform/lib/brand';
import { withoutLinks } from '@case-platform/lib/text/human-text';
import { withLook } from './mail-look.ts';

/** The templates in `templates/`. The `.txt` file beside each renders the text part with the same context (EMAIL-12). */
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
  'payments_stopped.html',
  'payment_alarm.html',
  'payment_alarm_cleared.html',
  'payment_on_its_way.html',
  'payment_arrived.html',
  'payment_returned.html',
  'payment_date_moved.html',
  'payment_ended.html',
  'ip_pregnancy_funding.html',
  'last_scheduled_payment.html',
  'case_close_reminder.html',
  'funds_short.html',
] as const;
export type TemplateName = (typeof TEMPLATES)[number];
type TemplateValue = string | number | boolean | null;
export type TemplateContext = Record<string, TemplateValue | readonly Record<string, TemplateValue>[]>;

const FOLDER = new URL('./templates/', import.meta.url);
// `lenientIf` lets the layout test for an unset first name.
const STRICT = { strictVariables: true, lenientIf: true, strictFilters: true };

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

/** Loaded with the first mail, because only the worker renders mail. */
let engines: ReturnType<typeof makeEngines> | undefined;

/** Breaks up everything in values that a mail program would show as a link, except in values whose names end in `url`. */
export function withoutLinkedValues<Context extends TemplateContext>(context: Context): Context {
  const values = Object.entries(context).map(([name, value]) => {
    if (Array.isArray(value)) return [name, value.map(withoutLinkedValues)];
    return [name, typeof value === 'string' && !name.endsWith('url') ? withoutLinks(value) : value];
  });
  return Object.fromEntries(values);
}

/** Renders the HTML part, with every value escaped, and the text part. Names and subjects never become links (EMAIL-12). */
export async function renderEmail(
  name: TemplateName,
  context: TemplateContext & { subject_line: string },
): Promise<{ html: string; text: string }> {
  const template = name.replace(/\.html$/, '');
  engines ??= makeEngines();
  const { html, text } = await engines;
  const { name: brand_name, address, license } = brand();
  const brand_lines = [...address, ...(license === null ? [] : [license])].join(' · ');
  const values = withoutLinkedValues({ brand_name, brand_lines, ...context });
  return { html: await html.renderFile(template, values), text: await text.renderFile(template, values) };
}
