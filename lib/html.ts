/**
 * Markup that can be placed in a page as it is. Only `html`, `joinHtml`, and `trustedHtml` make it, so that text never becomes
 * markup by accident. Converted to a string, it is escaped like any other text.
 */
class Html {
  readonly #markup: string;

  constructor(markup: string) {
    this.#markup = markup;
  }

  toString(): string {
    return this.#markup;
  }
}

export type { Html };

/** A value of a template. `true` is missing on purpose: an attribute such as `aria-pressed` needs its word. */
export type HtmlValue = Html | string | number | false | null | undefined | readonly HtmlValue[];

/**
 * Makes markup from a template: text and numbers are escaped, markup is inserted as it is, lists are joined, and `false`, null,
 * and undefined show nothing. Attribute values must be in quotes, which text cannot end. Backslashes in the template stay as
 * written, so a `pattern` needs no second one.
 */
export function html({ raw }: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  const parts = values.map((value, at) => markupOf(value) + raw[at + 1]);
  return new Html(raw[0] + parts.join(''));
}

/** Joins values, with a separator between them that is escaped like any text. */
export function joinHtml(values: readonly HtmlValue[], separator: HtmlValue): Html {
  return new Html(values.map(markupOf).join(markupOf(separator)));
}

/** Declares a string as markup: only for our own files and generated drawings, never for anything that a person wrote. */
export function trustedHtml(markup: string): Html {
  return new Html(markup);
}

function markupOf(value: HtmlValue): string {
  if (value instanceof Html) return value.toString();
  if (typeof value === 'string') return escapeText(value);
  if (Array.isArray(value)) return value.map(markupOf).join('');
  return value === false || value === null || value === undefined ? '' : escapeText(String(value));
}

/** Escapes the characters that can end a text or an attribute, also one without quotes. */
function escapeText(text: string): string {
  return text.replaceAll(/["&'<=>]/g, (character) => `&#${character.charCodeAt(0)};`);
}
