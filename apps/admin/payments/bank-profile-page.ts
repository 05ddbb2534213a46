import { type Html, html } from '@case-platform/lib/html';
import { type BankProfile, type BankProfileInput, profileVersion } from '@case-platform/modules/banking';
import { chosen, formNotices, selectField, textField } from '../form/fields.ts';
import { orConfirmFirst } from '../form/recent-proof.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { backLink } from '../page/back-link.ts';
import type { Frame } from '../page/frame.ts';
import { notice } from '../page/notice.ts';
import { csrfField, shellPage } from '../page/shell.ts';

interface ProfileView {
  profile: BankProfile | null;
  done: string | undefined;
  refused: RefusedForm | undefined;
}

type ProfileField = [name: keyof BankProfile & keyof BankProfileInput, label: string, hint: string, max: number];

const FIELDS: ProfileField[] = [
  ['bank_name', 'Bank', 'As it should appear in the file.', 23],
  ['routing_number', 'Routing number', 'Nine digits.', 9],
  ['immediate_origin', 'Immediate origin', 'Our number at the bank, in the file header.', 10],
  ['company_name', 'Our name', 'What payees see on their statement.', 16],
  ['company_id', 'Company ID', 'From the bank. Often 1 and our tax number.', 10],
  ['entry_description', 'Description', 'Shown next to our name, such as PAYMENT.', 10],
];

/** The bank that files are made for. */
export function bankProfilePage(frame: Frame<StaffActor>, view: ProfileView): Html {
  const { profile, done, refused } = view;
  const content = html`<div class="page">
    <header class="page-header">
      ${backLink('/batches', 'Back to all batches')}
      <h1 class="page-title">Our bank</h1>
      <p class="page-lead">The bank that makes our payments, and our details there. The next payment file uses them.</p>
    </header>
    ${formNotices({ done, refused })}
    ${
      profile === null && refused === undefined
        ? html`<div class="form-problem">${notice('waiting', 'Add our bank details to make payment files.')}</div>`
        : ''
    }
    ${orConfirmFirst(frame, refused, form(frame, view))}
  </div>`;
  return shellPage(frame, { title: 'Our bank', content });
}

function form(frame: Frame<StaffActor>, { profile, refused }: ProfileView): Html {
  const fields = FIELDS.map(([name, label, hint, max]) =>
    textField({ name, label, hint, max, value: String(profile?.[name] ?? '') }, refused),
  );
  const tick = (name: 'same_day' | 'with_notes' | 'balanced', words: string) => {
    const isTicked = hasValues(refused) ? (chosen(refused, name)?.includes('yes') ?? false) : (profile?.[name] ?? false);
    return html`<label class="check-line">
      <input class="checkbox" type="checkbox" name="${name}" value="yes" ${isTicked ? 'checked' : ''}>
      <span>${words}</span>
    </label>`;
  };
  return html`<form
    method="post"
    action="/batches/bank"
    class="panel padded bank-form"
    autocomplete="off"
    data-busy-words="Saving…"
  >
    ${csrfField(frame)}
    <input type="hidden" name="version" value="${profileVersion(profile)}">
    <div class="field-pair">${fields}</div>
    ${tick('same_day', 'New batches use same-day ACH unless someone chooses otherwise')}
    ${tick('with_notes', 'Add a note with the request number to each payment (addenda)')}
    ${tick('balanced', 'Files are balanced: each batch debits the account below')}
    ${offsetAccount(profile, refused)}
    <div class="form-actions"><button class="btn btn-primary" type="submit">Save bank details</button></div>
  </form>`;
}

const hasValues = (refused: RefusedForm | undefined) => Object.keys(refused?.values ?? {}).length > 0;

function offsetAccount(profile: BankProfile | null, refused: RefusedForm | undefined): Html {
  const lastFour = profile?.offset_last_four ?? null;
  const hint = lastFour === null ? 'Kept encrypted.' : `Ends in ${lastFour}. Leave it empty to keep it.`;
  const optional = { look: 'input mono', isOptional: true };
  const routing = { name: 'offset_routing_number', label: 'Routing number', max: 9, more: html`inputmode="numeric"` };
  const kinds = [
    { id: 'checking', name: 'Checking' },
    { id: 'savings', name: 'Savings' },
  ];
  const kind = {
    name: 'offset_account_kind',
    label: 'Kind',
    choices: kinds,
    value: profile?.offset_account_kind ?? '',
  };
  const number = { name: 'offset_account_number', label: 'Account number', hint, max: 17, isSecret: true };
  return html`<fieldset class="mt-3">
    <legend class="section-title">Account for balanced files</legend>
    <div class="field-pair">
      ${textField({ ...routing, ...optional, value: profile?.offset_routing_number ?? '' }, refused)}
      ${selectField(kind, refused)}
      ${textField({ ...number, ...optional }, refused)}
    </div>
  </fieldset>`;
}
