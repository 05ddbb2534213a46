import { type Html, type HtmlValue, html, joinHtml } from '@case-platform/lib/html';
import { AMOUNT_FIELD_MAX } from '@case-platform/words/limits';
import { notice } from '../page/notice.ts';
import { confirmLink } from './recent-proof.ts';
import type { RefusedForm } from './refused-form.ts';

type Refused = RefusedForm | undefined;

/** The notices over the content of a page with forms: what was done, or why a form was refused. */
export function formNotices({ done, refused }: { done?: string | undefined; refused?: Refused }): Html {
  const why =
    refused === undefined
      ? html``
      : html`<div class="form-problem">${notice('error', refused.words)}${confirmLink(refused)}</div>`;
  return done === undefined ? why : html`${why}<div class="form-problem">${notice('done', done)}</div>`;
}

/** The refused form, if it is the one that is sent to this address. */
export function refusedAt(action: string, refused: Refused): Refused {
  return refused?.action === action ? refused : undefined;
}

/** The text that was typed into a field of a refused form, else the field's own value. */
export function typed(refused: Refused, name: string, otherwise: string | number | null = ''): string {
  const value = refused?.values[name];
  return typeof value === 'string' ? value : String(otherwise ?? '');
}

/** The values that were chosen in a list of a refused form; undefined for any other form. */
export function chosen(refused: Refused, name: string): string[] | undefined {
  if (refused === undefined) return undefined;
  return [refused.values[name] ?? []].flat().map(String);
}

interface Field {
  /** The name that the form sends. */
  name: string;
  /** Unique on the page. By default the name, if no other form on the page has a field with it. */
  id?: string;
  label: string;
  /** Whether only screen readers get the label, because the heading above says the same. */
  isLabelHidden?: boolean;
  hint?: string;
}

/**
 * A field with its label, its hint, and beside it what is wrong with it. `control` makes the element that people type into
 * and gives it these attributes.
 */
export function formField(
  { name, id = name, label, isLabelHidden = false, hint = '', control }: Field & { control: (attributes: Html) => Html },
  refused: Refused,
): Html {
  return html`<div class="field">
    <label class="${isLabelHidden ? 'sr-only' : 'field-label'}" for="${id}">${label}</label>
    ${hint === '' ? '' : html`<span class="field-hint" id="${id}-hint">${hint}</span>`}
    ${control(fieldAttributes({ name, id, hint }, refused))}
    ${fieldError(name, refused, id)}
  </div>`;
}

/** The attributes that tie a control to its label, hint and error, for controls that do not fit into `formField`. */
export function fieldAttributes(
  { name, id = name, hint = '', describedBy = '' }: { name: string; id?: string; hint?: string; describedBy?: string },
  refused: Refused,
): Html {
  const isWrong = refused?.errors[name] !== undefined;
  const described = [describedBy, hint === '' ? '' : `${id}-hint`, isWrong ? `${id}-error` : ''].filter(Boolean);
  const attributes = [
    html`id="${id}" name="${name}"`,
    // Browsers scroll to the first of them: the page may be long.
    isWrong ? html`aria-invalid="true" autofocus` : '',
    described.length === 0 ? '' : html`aria-describedby="${described.join(' ')}"`,
  ];
  return joinHtml(attributes, ' ');
}

/** The same for one of several check boxes or radio buttons, which share one error. */
export function choiceAttributes(name: string, refused: Refused, id = name): Html {
  return refused?.errors[name] === undefined ? html`` : html`aria-invalid="true" aria-describedby="${id}-error"`;
}

/** The error of a field, for controls that do not fit into `formField`. */
export function fieldError(name: string, refused: Refused, id = name): Html {
  const error = refused?.errors[name];
  return error === undefined ? html`` : html`<span class="field-error" id="${id}-error">${error}</span>`;
}

interface TextField extends Field {
  /** Its value at first. */
  value?: string | number | null;
  type?: 'text' | 'email' | 'tel' | 'date';
  max?: number;
  look?: string;
  isOptional?: boolean;
  /** Whether a refused form comes back without what was typed here. */
  isSecret?: boolean;
  /** More attributes of the input. */
  more?: HtmlValue;
}

/** One line of text. */
export function textField(
  { value = '', type = 'text', max, look = 'input', isOptional, isSecret, more, ...field }: TextField,
  refused: Refused,
): Html {
  const text = isSecret ? '' : typed(refused, field.name, value);
  const control = (attributes: Html) =>
    html`<input
      class="${look}"
      type="${type}"
      ${type === 'text' ? html`dir="auto"` : ''}
      ${attributes}
      value="${text}"
      ${max === undefined ? '' : html`maxlength="${max}"`}
      autocomplete="off"
      ${isOptional ? '' : 'required'}
      ${more}
    >`;
  return formField({ ...field, control }, refused);
}

/** An amount of money, in dollars. */
export function amountField(field: Omit<TextField, 'type' | 'max'>, refused: Refused): Html {
  return textField(
    { max: AMOUNT_FIELD_MAX, look: 'input money', ...field, more: html`inputmode="decimal" ${field.more}` },
    refused,
  );
}

/** Several lines of text. */
export function textArea({ value = '', max, rows, isOptional, ...field }: TextField & { rows: number }, refused: Refused): Html {
  const control = (attributes: Html) =>
    html`<textarea
      class="textarea"
      dir="auto"
      ${attributes}
      rows="${rows}"
      maxlength="${max}"
      ${isOptional ? '' : 'required'}
    >${typed(refused, field.name, value)}</textarea>`;
  return formField({ ...field, control }, refused);
}

interface Choice {
  id: string | number;
  name: string;
}

interface SelectField extends Field {
  choices: readonly Choice[];
  /** The choice at first. */
  value?: string | number | null;
  /** The words of the choice that means none. */
  none?: string;
  /** More choices, as markup. */
  more?: (value: string) => Html;
  isRequired?: boolean;
}

/** One of several choices. */
export function selectField({ choices, value = '', none, more, isRequired, ...field }: SelectField, refused: Refused): Html {
  const chosen = typed(refused, field.name, value);
  const first = none === undefined ? '' : html`<option value="">${none}</option>`;
  const control = (attributes: Html) =>
    html`<select class="select" ${attributes} ${isRequired ? 'required' : ''}>
      ${first}
      ${options(choices, chosen)}
      ${more?.(chosen) ?? ''}
    </select>`;
  return formField({ ...field, control }, refused);
}

/** The choices of a select element. */
export function options(choices: readonly Choice[], value: string | number | null = ''): Html {
  const items = choices.map(
    ({ id, name }) => html`<option value="${id}" ${String(id) === String(value ?? '') ? 'selected' : ''}>${name}</option>`,
  );
  return html`${items}`;
}

/** One of a few choices, all of them visible. */
export function radioField(
  { name, id = name, label, choices, value = '' }: Omit<SelectField, 'none' | 'more' | 'hint'>,
  refused: Refused,
): Html {
  const chosen = typed(refused, name, value);
  const buttons = choices.map(
    (one) =>
      html`<label class="check-line">
        <input
          class="radio"
          type="radio"
          ${choiceAttributes(name, refused, id)}
          name="${name}"
          value="${one.id}"
          ${String(one.id) === chosen ? 'checked' : ''}
        >
        <span>${one.name}</span>
      </label>`,
  );
  return html`<fieldset class="field">
    <legend class="field-label">${label}</legend>
    ${buttons}
    ${fieldError(name, refused, id)}
  </fieldset>`;
}
