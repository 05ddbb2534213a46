import { html } from '@case-platform/lib/html';
import { type BankProfile, type BankProfileInput, profileVersion } from '@case-platform/modules/banking';
import type { StaffActor } from '../guards/visitors.ts';
import type { Frame } from '../page/frame.ts';
import { icon } from '../page/icons.ts';
import { notice } from '../page/notice.ts';
import { csrfField, shellPage } from '../page/shell.ts';

interface ProfileView {
  profile: BankProfile | null;
  /** What was typed, when it was refused. */
  values?: BankProfileInput | undefined;
  problem?: string | undefined;
  done?: string | undefined;
}

type TextField = [name: keyof BankProfileInput, words: string, hint: string, max: number];

const FIELDS: TextField[] = [
  ['bank_name', 'Bank', 'As it appears in the file.', 23],
  ['routing_number', 'Routing number', 'Nine digits.', 9],
  ['immediate_origin', 'Immediate origin', 'Our number at the bank, in the file header.', 10],
  ['company_name', 'Our name', 'What payees see on their statement.', 16],
  ['company_id', 'Company ID', 'From the bank. Often 1 and our tax number.', 10],
  ['entry_description', 'Description', 'Shown next to our name, such as PAYMENT.', 10],
];

/** The bank that files are made for. */
export function bankProfilePage(frame: Frame<StaffActor>, view: ProfileView): string {
  const { profile, problem, done } = view;
  const mayEdit = frame.actor.admin.can('edit_bank_accounts');
  const content = html`<div class="page">
  <header class="page-header">
    <a class="btn btn-ghost btn-sm btn-square" href="/batches" aria-label="Back to all batches" title="Back to all batches">!${icon('arrow-left')}</a>
    <h1 class="page-title">Our bank</h1>
    <p class="page-lead">The bank that pays for us, and how it knows us. The next payment file uses these details.</p>
  </header>
  !${problem === undefined ? '' : html`<div class="form-problem">!${notice('error', problem)}</div>`}
  !${done === undefined ? '' : html`<div class="form-problem">!${notice('done', done)}</div>`}
  !${profile === null && problem === undefined ? html`<div class="form-problem">!${notice('waiting', 'Enter our bank first. Without it, no payment files can be made.')}</div>` : ''}
  !${mayEdit ? form(frame, view) : notice('info', 'Your role does not show our bank.')}
</div>`;
  return shellPage(frame, { title: 'Our bank', content });
}

function form(frame: Frame<StaffActor>, { profile, values }: ProfileView): string {
  const now: Partial<Record<keyof BankProfileInput, unknown>> = values ?? profile ?? {};
  const text = ([name, words, hint, max]: TextField) =>
    html`<label class="field"><span class="field-label">${words}</span><span class="field-hint">${hint}</span><input class="input" name="${name}" value="${now[name] ?? ''}" maxlength="${max}" required></label>`;
  const tick = (name: keyof BankProfileInput, words: string) =>
    html`<label class="check-line"><input class="checkbox" type="checkbox" name="${name}" value="yes" !${now[name] === true ? 'checked' : ''}><span>${words}</span></label>`;
  return html`<form method="post" action="/batches/bank" class="panel account-panel bank-form" autocomplete="off" data-busy-words="Saving…">!${csrfField(frame)}<input type="hidden" name="version" value="${profileVersion(profile)}">
  <div class="field-pair">!${FIELDS.map(text)}</div>
  !${tick('same_day', 'New batches use same-day ACH unless someone chooses otherwise')}
  !${tick('with_notes', 'Add a note with the request number to each payment (addenda)')}
  !${tick('balanced', 'Files are balanced: each batch debits the account below')}
  !${offset(now, profile)}
  <div class="form-actions"><button class="btn btn-primary" type="submit">Save our bank</button></div>
</form>`;
}

function offset(now: Partial<Record<keyof BankProfileInput, unknown>>, profile: BankProfile | null): string {
  const kept = profile?.offset_last_four ?? null;
  const hint = kept === null ? 'Kept encrypted.' : `Ends in ${kept}. Leave it empty to keep it.`;
  const option = (value: string, words: string) =>
    html`<option value="${value}" !${now.offset_account_kind === value ? 'selected' : ''}>${words}</option>`;
  return html`<fieldset class="account-after"><legend class="section-title">Account for balanced files</legend><div class="field-pair">
  <label class="field"><span class="field-label">Routing number</span><input class="input mono" name="offset_routing_number" value="${now.offset_routing_number ?? ''}" inputmode="numeric" maxlength="9"></label>
  <label class="field"><span class="field-label">Kind</span><select class="select" name="offset_account_kind">!${option('checking', 'Checking')}!${option('savings', 'Savings')}</select></label>
  <label class="field"><span class="field-label">Account number</span><span class="field-hint">${hint}</span><input class="input mono" name="offset_account_number" maxlength="17"></label>
  </div></fieldset>`;
}
