/**
 * The styles of all mails. They are written into each tag when a template is read, because Gmail's mobile web drops `<style>`,
 * and Outlook for Windows, which renders with Word, does not inherit fonts into tables. The `<style>` in layout.html only has
 * rules for dark and narrow screens.
 */
const FONT = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const MONO = "font-family:ui-monospace,'SF Mono',Menlo,Consolas,'Courier New',monospace";
const BREAKS = 'overflow-wrap:anywhere;word-break:break-word';
const INK = 'color:#25302f';
const QUIET = 'color:#5d6765';

const OF_TAGS: Readonly<Record<string, string>> = {
  body: `margin:0;padding:0;background-color:#f6f3ee;${INK};-webkit-text-size-adjust:100%`,
  h1: `margin:0 0 16px;${FONT};font-size:22px;line-height:29px;font-weight:600;${INK};${BREAKS}`,
  p: `margin:0 0 16px;${FONT};font-size:16px;line-height:24px;${INK};${BREAKS}`,
};

const OF_CLASSES: Readonly<Record<string, string>> = {
  ground: 'background-color:#f6f3ee;padding:24px 12px',
  sheet:
    'width:100%;max-width:560px;table-layout:fixed;border-collapse:separate;background-color:#ffffff;border:1px solid #e3ded5;border-radius:8px',
  inside: 'padding:32px 28px 16px',
  brand: 'margin:0 0 24px;font-size:14px;line-height:20px;font-weight:600;color:#0f5e59',
  code: `${MONO};font-size:30px;line-height:36px;font-weight:600;letter-spacing:6px`,
  space: 'padding:0 0 16px',
  button: 'border-collapse:separate',
  // Word uses the padding of the cell, all others that of the link.
  face: 'background-color:#0f5e59;border-radius:8px;mso-padding-alt:12px 20px',
  action: `display:inline-block;padding:12px 20px;${FONT};font-size:16px;line-height:24px;font-weight:600;color:#ffffff;text-decoration:none`,
  fallback: `font-size:13px;line-height:20px;${QUIET};word-break:break-all`,
  below: 'width:100%;max-width:560px;table-layout:fixed',
  quiet: `margin:0 0 8px;font-size:13px;line-height:20px;${QUIET};text-align:center`,
  stop: `${QUIET};text-decoration:underline`,
};

/** Adds the styles of a template's tags, overridden by those of their classes. */
export function withLook(template: string): string {
  return template.replace(/<([a-z]\w*)((?: [\w-]+="[^"]*")*)>/g, (whole, tag: string, attributes: string) => {
    const name = /\bclass="(\w+)"/.exec(attributes)?.[1] ?? '';
    const style = declarations(OF_TAGS[tag], OF_CLASSES[name]);
    return style === '' ? whole : `<${tag}${attributes} style="${style}">`;
  });
}

function declarations(...lists: (string | undefined)[]): string {
  const all = lists.filter((list) => list !== undefined).flatMap((list) => list.split(';'));
  const last = new Map(all.map((declaration) => [declaration.slice(0, declaration.indexOf(':')), declaration]));
  return [...last.values()].join(';');
}
